"""How the rows of a statement become what its function returns: chosen once, at import, by the type."""

import dataclasses
import enum
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import asyncpg
import msgspec

from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf

T = TypeVar("T")

# Stored as their digits.
NUMBERS = (Cpf, Cnes)
Read: TypeAlias = Callable[[Any], Any]
Json: TypeAlias = Annotated[T, "json"]
"""The type of a row whose one column holds the value as JSON, where the type alone would mean rows or members."""


class Paged(NamedTuple, Generic[T]):
    """What a statement that `page_sql` made finds: a page's items, and how many there are on all pages."""

    items: list[T]
    total: int


class Shape(NamedTuple):
    """How a statement's rows are read: `fetches` none, the first or all of them; `read` takes what was fetched."""

    fetches: str
    read: Read


CONTAINERS: Mapping[Any, Callable[[Any], Any]] = {
    list: list, Sequence: list, set: set, Collection: list, frozenset: frozenset
}  # fmt: skip


def choose_shape(expected: Any) -> Shape:
    """Return how rows are read into the type.

    `T | None` and a plain `T` are the first row, `list`, `set` and `Sequence` all rows, a `Mapping` all rows by their
    first column, a `Paged` a page; a `bool` is false without a row. A row is read by its type: a struct, dataclass or
    named tuple takes the columns as members by their names, a `dict` all of them, a `tuple` each in its place, anything
    else is the first column.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is types.NoneType:
        return Shape("nothing", _same)
    if origin in CONTAINERS:
        container, row = CONTAINERS[origin], _read_row(arguments[0])
        return Shape("rows", lambda rows: container(map(row, rows)))
    if origin is Mapping:
        key, value = _read_value(arguments[0]), _read_value(arguments[1])
        return Shape("rows", lambda rows: {key(row[0]): value(row[1]) for row in rows})
    if origin is Paged:
        row = _read_row(arguments[0], apart=("place", "total"))
        return Shape(
            "rows", lambda rows: Paged([row(each) for each in rows if each["place"] is not None], rows[0]["total"])
        )
    if expected is bool:
        return Shape("row", lambda found: found is not None and bool(found[0]))
    if type(None) in arguments:
        row = _read_row(_without_none(expected))
        return Shape("row", lambda found: None if found is None else row(found))
    return Shape("row", _read_row(expected))


def _read_row(expected: Any, apart: Collection[str] = ()) -> Read:
    """Return how one row is read into the type, without the columns that are set `apart`."""
    if get_origin(expected) is Annotated:
        value = _read_value(expected.__origin__)
        return lambda row: value(row[0])
    if expected in {Any, asyncpg.Record}:
        return _same
    if get_origin(expected) is dict:
        return lambda row: {name: value for name, value in row.items() if name not in apart}
    if get_origin(expected) is tuple and Ellipsis not in get_args(expected):
        reads = [_read_value(each) for each in get_args(expected)]
        return lambda row: tuple(read(value) for read, value in zip(reads, row, strict=True))
    if not (members_of := list_members(expected)):
        value = _read_value(expected)
        return lambda row: value(row[0])
    reads_of = {name: value for name, hint in members_of.items() if (value := _read_value(hint)) is not _same}

    def read_members(row: Any) -> Any:
        members = {name: value for name, value in row.items() if name not in apart}
        for name, value in reads_of.items():
            if name in members:
                members[name] = value(members[name])
        return expected(**members)

    return read_members


def _read_value(expected: Any) -> Read:
    """Return how the value of a column is read into the type; text is JSON where the type is none."""
    if type(None) in get_args(expected):
        read = _read_value(_without_none(expected))
        return read if read is _same else lambda value: None if value is None else read(value)
    if get_origin(expected) is Annotated:
        return _read_value(expected.__origin__)
    if isinstance(expected, type) and issubclass(expected, (enum.Enum, *NUMBERS)):
        return expected
    if get_origin(expected) in CONTAINERS:
        container, item = CONTAINERS[get_origin(expected)], _read_value(get_args(expected)[0])
        decode = msgspec.json.Decoder(expected).decode
        return lambda value: decode(value) if isinstance(value, str) else container(map(item, value))
    if list_members(expected) or get_origin(expected) in {dict, Mapping, Union, types.UnionType}:
        return msgspec.json.Decoder(expected).decode
    return _same


def list_members(expected: Any) -> Mapping[str, Any]:
    """Return the members of a struct, dataclass or named tuple (or None) with their types; of any other type, none."""
    if type(None) in get_args(expected):
        expected = _without_none(expected)
    is_record = isinstance(expected, type) and (
        issubclass(expected, msgspec.Struct)
        or (dataclasses.is_dataclass(expected) and expected not in NUMBERS)
        or hasattr(expected, "_fields")
    )
    return get_type_hints(expected, include_extras=True) if is_record else {}


def _without_none(expected: Any) -> Any:
    return Union[tuple(each for each in get_args(expected) if each is not types.NoneType)]  # noqa: UP007 - of a list


def _same(value: Any) -> Any:
    return value
