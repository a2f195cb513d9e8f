"""Tables as lines of an import: a CSV file whose first line names the members, each record turned into JSON.

For rows whose members are texts, numbers, flags, lists of texts, and objects of these: a list stands in one cell, its
items parted by `|`, and a member of an object in a column with a dotted name (`nascimento.data`). As spreadsheets write
them in Brazil, files may be in Windows-1252, with a decimal comma, `VERDADEIRO` and `FALSO`.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from balcao.core.errors import Invalid

ITEMS_APART = "|"
_NUL = "\0"
UTF_8, WINDOWS_1252 = "utf-8", "windows-1252"
_DELIMITERS = ",;\t"
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}([.,][0-9]{1,15})?")
_FLAGS = {"true": True, "verdadeiro": True, "sim": True, "false": False, "falso": False, "não": False}
_NOT_TEXT = "A linha não é um registro CSV."
_OTHER_WIDTH = "A linha não tem tantas colunas quanto a primeira linha do arquivo."


@dataclass(frozen=True)
class Table:
    """What the first line of a CSV file says: the members in their order, and what stands between cells."""

    members: Sequence[str]
    delimiter: str
    encoding: str

    @classmethod
    def parse(cls, header: bytes, encoding: str) -> "Table":
        """Return the table of a first line. Raises Invalid when it names no member, or one twice."""
        try:
            text = header.decode(encoding).strip()
        except UnicodeDecodeError:
            text = _NUL
        if _NUL in text:  # of UTF-16
            raise Invalid("O arquivo CSV não está em UTF-8 nem em Windows-1252.", code="file-broken")
        delimiter = max(_DELIMITERS, key=text.count)
        try:
            members = [name.strip() for name in _split(text, delimiter)]
        except csv.Error:
            members = []
        if not members or not all(members) or len(set(members)) < len(members):
            reason = "A primeira linha do arquivo CSV deve dar um nome, sem repetição, a cada coluna."
            raise Invalid(reason, code="file-broken")
        return cls(members, delimiter, encoding)

    def require_fitting(self, row: type[msgspec.Struct]) -> None:
        """Raise Invalid for a column of what has parts of its own and stands in no cell; others may be unknown."""
        kinds = _find_kinds(row)
        for name in self.members:
            if name in kinds and not kinds[name]:
                raise Invalid(
                    f"A coluna `{name}` não cabe em uma tabela, porque tem partes: nomeie cada uma em sua coluna, como "
                    "`nascimento.data`, ou use JSON Lines para as listas delas.",
                    code="import-not-table",
                )

    def to_json(self, record: bytes, row: type[msgspec.Struct]) -> bytes:
        """Return a record as the JSON of such a row; an empty cell is an absent member. Raises Invalid."""
        try:
            cells = _split(record.decode(self.encoding).rstrip("\r\n"), self.delimiter)
        except (UnicodeDecodeError, csv.Error):
            raise Invalid(_NOT_TEXT) from None
        if len(cells) != len(self.members):
            raise Invalid(_OTHER_WIDTH)
        kinds = _find_kinds(row)
        found: dict[str, Any] = {}
        for name, cell in zip(self.members, cells, strict=True):
            if cell.strip() and name in kinds:
                *objects, member = name.split(".")
                place = found
                for each in objects:
                    place = place.setdefault(each, {})
                place[member] = _convert(cell, kinds[name])
        return msgspec.json.encode(found)


def detect_encoding(lines: Iterable[bytes]) -> str:
    """Return what a table is written in.

    It is Windows-1252 when every line that is not ASCII alone is no UTF-8: a file in UTF-8 with a broken line stays
    one, and only that line is refused.
    """
    is_utf8 = True
    for line in lines:
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                is_utf8 = False
            else:
                return UTF_8
    return UTF_8 if is_utf8 else WINDOWS_1252


def is_whole(record: bytes) -> bool:
    """Return whether a record ends here: a quoted cell may hold line breaks, and holds its own quotes doubled."""
    return record.count(b'"') % 2 == 0


def _split(text: str, delimiter: str) -> list[str]:
    return next(csv.reader([text], delimiter=delimiter, strict=True), [])


@cache
def _find_kinds(row: type[msgspec.Struct]) -> Mapping[str, Sequence[type]]:
    """Return what a cell of each column may hold, as msgspec sees it; nothing for what stands in no cell."""
    found = msgspec.inspect.type_info(row)
    assert isinstance(found, msgspec.inspect.StructType)
    return dict(_iterate_kinds(found, ""))


def _iterate_kinds(struct: msgspec.inspect.StructType, path: str) -> Iterator[tuple[str, Sequence[type]]]:
    for field in struct.fields:
        name, kinds = path + field.encode_name, _flatten(field.type)
        yield name, [type(kind) for kind in kinds] if all(map(_stands_in_cell, kinds)) else []
        for kind in kinds:
            if isinstance(kind, msgspec.inspect.StructType):
                yield from _iterate_kinds(kind, f"{name}.")


def _stands_in_cell(kind: msgspec.inspect.Type) -> bool:
    if isinstance(kind, msgspec.inspect.ListType):
        return any(isinstance(item, msgspec.inspect.StrType) for item in _flatten(kind.item_type))
    parts = (msgspec.inspect.StructType, msgspec.inspect.DictType, msgspec.inspect.AnyType)
    return not isinstance(kind, parts)


def _flatten(kind: msgspec.inspect.Type) -> Sequence[msgspec.inspect.Type]:
    match kind:
        case msgspec.inspect.Metadata(inner):
            return _flatten(inner)
        case msgspec.inspect.UnionType(kinds):
            return [each for member in kinds for each in _flatten(member)]
        case _:
            return [kind]


def _convert(cell: str, kinds: Sequence[type]) -> str | int | float | bool | list[str]:
    """Return what a cell means; what cannot be meant stays a text, which the row's own check refuses by name."""
    if msgspec.inspect.ListType in kinds:
        return [item.strip() for item in cell.split(ITEMS_APART) if item.strip()]
    if msgspec.inspect.IntType in kinds and _INTEGER.fullmatch(cell.strip()):
        return int(cell)
    if msgspec.inspect.FloatType in kinds and _DECIMAL.fullmatch(cell.strip()):
        return float(cell.replace(",", "."))
    if msgspec.inspect.BoolType in kinds and cell.strip().lower() in _FLAGS:
        return _FLAGS[cell.strip().lower()]
    return cell
