"""Decode lines to rows, or to refusals that name the invalid member and never its value."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from balcao.core.errors import Invalid
from balcao.core.http import decoding
from balcao.core.imports.source import Record
from balcao.core.imports.table import Table
from balcao.core.values.text import has_nul

_NO_NUL = "A linha contém o caractere nulo (\\u0000)."
_NO_JSON = "A linha não é JSON válido em UTF-8."
_NO_OBJECT = "A linha deve ser um objeto JSON."
_BY_CODE = {
    "body-malformed": _NO_JSON,
    "body-too-deep": _NO_JSON,
    "body-not-object": _NO_OBJECT,
    "body-too-many-values": f"A linha tem mais de {decoding.MAX_VALUES} valores.",
}
_ESCAPED_NUL = b"\\u0000"


class Refused(msgspec.Struct, frozen=True):
    """An entry of the import report: the number of a rejected line, and the reason for the rejection."""

    line: int
    reason: str


class NumberedRow(NamedTuple):
    """A row with its line number."""

    line: int
    row: Any


class Decoder:
    """A decoder of records for one kind of row.

    If a record has no member `source`, the row gets this decoder's `source`. The cells of a `table` are converted to
    JSON first.
    """

    def __init__(self, row: type[msgspec.Struct], source: str | None = None, table: Table | None = None) -> None:
        self._row, self._table = row, table
        self._decode = msgspec.json.Decoder(row).decode
        self._source = source if "source" in row.__struct_fields__ else None

    def decode(self, records: Iterable[Record]) -> tuple[list[NumberedRow], list[Refused]]:
        """Return the rows, and the refusals of invalid records."""
        rows, refused = [], []
        for record in records:
            try:
                rows.append(NumberedRow(record.number, self._decode_row(record)))
            except Invalid as fault:
                refused.append(Refused(record.number, fault.message))
        return rows, refused

    def _decode_row(self, record: Record) -> Any:
        """Convert a record to a row. Raises Invalid, with the reason for the report, if the record is not a row."""
        if record.fault is not None:
            raise Invalid(record.fault)
        text = record.content
        if not isinstance(text, bytes):
            assert self._table is not None
            text = self._table.to_json(text)
        try:
            row: Any = self._decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            row = self._decode_slowly(text, fault)
        if _ESCAPED_NUL in text and has_nul(decoding.parse_value(text)):
            raise Invalid(_NO_NUL)
        if self._source is not None and row.source is None:
            row.source = self._source
        return row

    def _decode_slowly(self, text: bytes, fault: Exception) -> Any:
        """Decode a record with a slower decoder that accepts `3.0` as the integer 3.

        Raises Invalid if that fails too.
        """
        if isinstance(fault.__cause__, ValueError):
            raise Invalid(str(fault.__cause__))
        try:
            return decoding.decode(text, self._row)
        except Invalid as refusal:
            raise Invalid(_BY_CODE.get(refusal.code, refusal.message)) from None
