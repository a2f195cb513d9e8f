"""Tables as lines of an import: a CSV file whose first line names the members, each record turned into JSON.

For rows whose members are texts, numbers, `true` or `false`, and lists of texts; a list stands in one cell, its items
parted by `|`.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from balcao.core.errors import Invalid

ITEMS_APART = "|"
_DELIMITERS = ",;\t"
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_FLAGS = {"true": True, "false": False}
_NOT_TEXT = "A linha não é um registro CSV em UTF-8."
_OTHER_WIDTH = "A linha não tem tantas colunas quanto a primeira linha do arquivo."


@dataclass(frozen=True)
class Table:
    """What the first line of a CSV file says: the members in their order, and what stands between cells."""

    members: Sequence[str]
    delimiter: str

    @classmethod
    def parse(cls, header: bytes) -> "Table":
        """Return the table of a first line. Raises Invalid when it names no member, or one twice."""
        try:
            text = header.decode().strip()
        except UnicodeDecodeError:
            raise Invalid("O arquivo CSV não está em UTF-8.", code="file-broken") from None
        delimiter = max(_DELIMITERS, key=text.count)
        try:
            members = [name.strip() for name in _split(text, delimiter)]
        except csv.Error:
            members = []
        if not members or not all(members) or len(set(members)) < len(members):
            reason = "A primeira linha do arquivo CSV deve dar um nome, sem repetição, a cada coluna."
            raise Invalid(reason, code="file-broken")
        return cls(members, delimiter)

    def to_json(self, record: bytes, row: type[msgspec.Struct]) -> bytes:
        """Return a record as the JSON of such a row; an empty cell is an absent member. Raises Invalid."""
        try:
            cells = _split(record.decode().rstrip("\r\n"), self.delimiter)
        except (UnicodeDecodeError, csv.Error):
            raise Invalid(_NOT_TEXT) from None
        if len(cells) != len(self.members):
            raise Invalid(_OTHER_WIDTH)
        kinds = _find_kinds(row)
        filled = {name: cell for name, cell in zip(self.members, cells, strict=True) if cell.strip()}
        return msgspec.json.encode({name: _convert(cell, kinds.get(name, ())) for name, cell in filled.items()})


def is_whole(record: bytes) -> bool:
    """Return whether a record ends here: a quoted cell may hold line breaks, and holds its own quotes doubled."""
    return record.count(b'"') % 2 == 0


def _split(text: str, delimiter: str) -> list[str]:
    return next(csv.reader([text], delimiter=delimiter, strict=True), [])


@cache
def _find_kinds(row: type[msgspec.Struct]) -> Mapping[str, Sequence[type]]:
    """Return what each member may hold, as msgspec sees it."""
    found = msgspec.inspect.type_info(row)
    assert isinstance(found, msgspec.inspect.StructType)
    return {field.encode_name: _flatten(field.type) for field in found.fields}


def _flatten(kind: msgspec.inspect.Type) -> Sequence[type]:
    match kind:
        case msgspec.inspect.Metadata(inner):
            return _flatten(inner)
        case msgspec.inspect.UnionType(kinds):
            return [each for member in kinds for each in _flatten(member)]
        case _:
            return [type(kind)]


def _convert(cell: str, kinds: Sequence[type]) -> str | int | float | bool | list[str]:
    """Return what a cell means; what cannot be meant stays a text, which the row's own check refuses by name."""
    if msgspec.inspect.ListType in kinds:
        return [item.strip() for item in cell.split(ITEMS_APART) if item.strip()]
    if msgspec.inspect.IntType in kinds and _INTEGER.fullmatch(cell.strip()):
        return int(cell)
    if msgspec.inspect.FloatType in kinds and _DECIMAL.fullmatch(cell.strip()):
        return float(cell)
    if msgspec.inspect.BoolType in kinds and cell.strip() in _FLAGS:
        return _FLAGS[cell.strip()]
    return cell
