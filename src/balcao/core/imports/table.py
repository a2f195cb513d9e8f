"""Rows of tables (CSV or spreadsheets). The first row names the members. Every other row is converted to JSON.

Members may be texts, numbers, flags, lists of texts, and objects of these. A list is in one cell, with `|` between its
items. Each member of an object has its own column, with a dotted name (`nascimento.data`). CSV cells are texts as
Brazilian spreadsheets write them: with a decimal comma, `VERDADEIRO` and `FALSO`. The cells of a spreadsheet have
types.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from functools import cache
from typing import Any

import msgspec

from balcao.core.errors import Invalid

ITEM_SEPARATOR = "|"
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}([.,][0-9]{1,15})?")
# The texts that spreadsheets show for failed formulas, in English and in Portuguese.
_ERRORS = frozenset("#N/A #NAME? #REF! #VALUE! #NULL! #NUM! #DIV/0! #N/D #NOME? #VALOR! #NULO! #NÚM!".split())
_MOST_NUMBER = 10**18  # smaller numbers fit into 64 bits
_NUMBERS = {msgspec.inspect.IntType, msgspec.inspect.FloatType}
_FLAGS = {"true": True, "verdadeiro": True, "sim": True, "false": False, "falso": False, "não": False}
# The lengths of codes. Spreadsheets store such codes as numbers and so drop their leading zeros.
_DIGITS = {"cpf": 11, "cpf_socio": 11, "cnpj": 14, "cnes": 7, "id_cnes": 7, "cns": 15, "cep": 8}


class Table:
    """The columns of a table, and the type of row that an import expects in it."""

    def __init__(self, members: Sequence[str]) -> None:
        self.members = members
        self._row: type[msgspec.Struct] = msgspec.Struct

    @classmethod
    def parse(cls, headings: Sequence[Any]) -> "Table":
        """Create the table with these headings. Blank headings at the end are ignored.

        Raises Invalid if no column is named, a column has no name, or a name occurs twice or contains a quote.
        """
        members = ["" if name is None else str(name).strip() for name in headings]
        while members and not members[-1]:
            members.pop()
        # A name contains a quote if the quotes of the heading are broken.
        if not members or not all(members) or '"' in "".join(members) or len(set(members)) < len(members):
            reason = "A primeira linha da tabela deve dar um nome, sem repetição, a cada coluna."
            raise Invalid(reason, code="file-broken")
        return cls(members)

    def expect(self, row: type[msgspec.Struct]) -> None:
        """Set the type of the rows. Columns that it does not have are ignored.

        Raises Invalid for a column whose member is an object or a list of objects, which do not fit in a cell.
        """
        kinds = _find_kinds(row)
        for name in self.members:
            if name in kinds and not kinds[name]:
                raise Invalid(
                    f"A coluna `{name}` não cabe em uma tabela, porque tem partes: nomeie cada uma em sua coluna, como "
                    "`nascimento.data`, ou use JSON Lines para as listas delas.",
                    code="import-not-table",
                )
        self._row = row

    def to_json(self, cells: Sequence[Any]) -> bytes:
        """Convert the cells of a row to JSON.

        An empty cell becomes an absent member. Raises Invalid if a cell contains a formula error.
        """
        kinds = _find_kinds(self._row)
        found: dict[str, Any] = {}
        for name, cell in zip(self.members, cells, strict=False):
            if name in kinds and cell is not None and (not isinstance(cell, str) or cell.strip()):
                *objects, member = name.split(".")
                place = found
                for each in objects:
                    place = place.setdefault(each, {})
                value = cell if isinstance(cell, str) else _convert_typed(name, cell, kinds[name])
                if value in _ERRORS:
                    raise Invalid(f"A célula de `{name}` tem um erro de fórmula.")
                place[member] = _convert(value, kinds[name]) if isinstance(value, str) else value
        return msgspec.json.encode(found)

    def is_row(self, cells: Sequence[Any]) -> bool:
        """Return whether the cells are a valid row."""
        try:
            msgspec.json.decode(self.to_json(cells), type=self._row)
        except (msgspec.MsgspecError, Invalid):
            return False
        return True


@cache
def _find_kinds(row: type[msgspec.Struct]) -> Mapping[str, Sequence[type]]:
    """Map each column to the msgspec types of its cells, or to nothing if its values do not fit in a cell."""
    found = msgspec.inspect.type_info(row)
    assert isinstance(found, msgspec.inspect.StructType)
    return dict(_iterate_kinds(found, ""))


def _iterate_kinds(struct: msgspec.inspect.StructType, path: str) -> Iterator[tuple[str, Sequence[type]]]:
    for field in struct.fields:
        name, kinds = path + field.encode_name, _flatten(field.type)
        yield name, [type(kind) for kind in kinds] if all(map(_fits_cell, kinds)) else []
        for kind in kinds:
            if isinstance(kind, msgspec.inspect.StructType):
                yield from _iterate_kinds(kind, f"{name}.")


def _fits_cell(kind: msgspec.inspect.Type) -> bool:
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
    """Return the value of a cell.

    An invalid text is returned unchanged, so that validation of the row rejects it with the member's name.
    """
    if msgspec.inspect.ListType in kinds:
        return [item.strip() for item in cell.split(ITEM_SEPARATOR) if item.strip()]
    if msgspec.inspect.IntType in kinds and _INTEGER.fullmatch(cell.strip()):
        return int(cell)
    if msgspec.inspect.FloatType in kinds and _DECIMAL.fullmatch(cell.strip()):
        return float(cell.replace(",", "."))
    if msgspec.inspect.BoolType in kinds and cell.strip().lower() in _FLAGS:
        return _FLAGS[cell.strip().lower()]
    return cell


def _convert_typed(name: str, cell: Any, kinds: Sequence[type]) -> Any:
    """Return the JSON value of a typed cell for this member."""
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return cell
    number = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    if _NUMBERS.intersection(kinds) and abs(number) < _MOST_NUMBER:
        return number
    return str(number).zfill(_DIGITS.get(name.rpartition(".")[2], 0))
