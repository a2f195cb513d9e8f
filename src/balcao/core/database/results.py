"""How the rows of a statement become what its function returns: chosen once, at import, by the type."""

import dataclasses
import enum
import functools
import inspect
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import asyncpg
import msgspec

from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf

C = TypeVar("C")
T = TypeVar("T")

# Stored as their digits.
NUMBERS = (Cpf, Cnes)
Read: TypeAlias = Callable[[Any], Any]
Json: TypeAlias = Annotated[T, "json"]
"""The type of a row whose one column, or of a member whose column, holds the value as JSON.

Where the type alone would mean rows or members, or does not tell that the text is JSON, as `Any`.
"""


class Paged(NamedTuple, Generic[T]):
    """What a statement that `page_sql` made finds: a page's items, and how many there are on all pages."""

    items: list[T]
    total: int


class PagedWithCounts(NamedTuple, Generic[T, C]):
    """What such a statement finds whose total is several numbers as JSON: a page's items, and those numbers."""

    items: list[T]
    counts: C


class Shape(NamedTuple):
    """How a statement's rows are read: `fetches` none, the first or all of them; `read` takes what was fetched."""

    fetches: str
    read: Read


CONTAINERS: Mapping[Any, Callable[[Any], Any]] = {
    list: list, Sequence: list, set: set, Collection: list, frozenset: frozenset
}  # fmt: skip


def choose_shape(expected: Any, skip: int = 0) -> Shape:
    """Return how rows are read into the type, without so many columns at their beginning.

    `T | None` and a plain `T` are the first row, `list`, `set` and `Sequence` all rows, a `Mapping` all rows without
    their first column by that, a `Paged` or `PagedWithCounts` a page; a `bool` is false without a row. A row is read by
    its type: a struct, dataclass or named tuple takes the columns as members by their names, one with a class method
    `from_row` what that makes of it, a `dict` all columns, a `tuple` each in its place, anything else is the first
    column.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is types.NoneType:
        return Shape("nothing", _same)
    if origin in CONTAINERS:
        container, read_all = CONTAINERS[origin], _read_all(arguments[0], skip)
        return Shape("rows", lambda rows: container(read_all(rows)))
    if origin is Mapping:
        key, value = _read_value(arguments[0]), _read_row(arguments[1], skip + 1)
        return Shape("rows", lambda rows: {key(row[skip]): value(row) for row in rows})
    if origin in {Paged, PagedWithCounts}:
        read_items = _read_all(arguments[0], skip + 2)  # total and place
        total = _read_value(arguments[1]) if origin is PagedWithCounts else _same
        return Shape(
            "rows",
            lambda rows: origin(
                list(read_items([row for row in rows if row["place"] is not None])), total(rows[0]["total"])
            ),
        )
    if expected is bool:
        return Shape("row", lambda found: found is not None and bool(found[skip]))
    if type(None) in arguments:
        row = _read_row(_without_none(expected), skip)
        return Shape("row", lambda found: None if found is None else row(found))
    return Shape("row", _read_row(expected, skip))


def _read_row(expected: Any, skip: int = 0) -> Read:
    """Return how one row is read into the type, without its first columns."""
    if get_origin(expected) is Annotated:
        value = _read_value(expected)
        return lambda row: value(row[skip])
    if expected in {Any, asyncpg.Record}:
        return _same
    if hasattr(expected, "from_row"):
        from_row: Read = expected.from_row
        return from_row
    if get_origin(expected) is dict:
        return lambda row: dict(_list_columns(row, skip))
    if get_origin(expected) is tuple and Ellipsis not in get_args(expected):
        reads = [_read_value(each) for each in get_args(expected)]
        return lambda row: tuple(read(value) for read, value in zip(reads, tuple(row)[skip:], strict=True))
    if list_members(expected):
        return _Members(expected, skip)
    value = _read_value(expected)
    return lambda row: value(row[skip])


def _read_all(expected: Any, skip: int) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """Return how rows are read into the type, one after the other, each without its first columns."""
    read = _read_row(expected, skip)
    if isinstance(read, _Members):
        # All rows of a statement have the columns of the first one.
        return lambda rows: map(read.choose(rows[0]), rows) if rows else ()
    return lambda rows: map(read, rows)


class _Members:
    """How a row becomes a struct, dataclass or named tuple; what the columns ask for is found out once."""

    def __init__(self, kind: Any, skip: int) -> None:
        self._kind = kind
        self._skip = skip
        self._values = {name: _read_value(hint) for name, hint in list_members(kind).items()}
        self._chosen: dict[tuple[str, ...], Read] = {}

    def __call__(self, row: Any) -> Any:
        return self.choose(row)(row)

    def choose(self, row: Any) -> Read:
        """Return how rows with the columns of this one are read."""
        columns = tuple(row.keys())
        read = self._chosen.get(columns)
        if read is None:
            read = self._chosen[columns] = self._make(columns[self._skip :])
        return read

    def _make(self, columns: tuple[str, ...]) -> Read:
        kind, skip = self._kind, self._skip
        values = [self._values.get(name, _same) for name in columns]
        if columns != _list_positional(kind)[: len(columns)]:
            return lambda row: kind(
                **{name: read(value) for name, read, value in zip(columns, values, row[skip:], strict=True)}
            )
        if any(read is not _same for read in values):
            return lambda row: kind(*[read(value) for read, value in zip(values, row[skip:], strict=True)])
        return lambda row: kind(*row[skip:])


def _list_positional(kind: Any) -> tuple[str, ...]:
    """Return the members that may be given by their place, in that order."""
    parameters = inspect.signature(kind).parameters.values()
    return tuple(each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD)


def read_part(kind: Callable[..., T], row: Any) -> T:
    """Return the struct of the columns that are named like its members, for a `from_row` that reads more besides."""
    part: T = _choose_part(kind)(row)
    return part


@functools.cache
def _choose_part(kind: Callable[..., Any]) -> Read:
    reads_of = {name: _read_value(hint) for name, hint in list_members(kind).items()}
    return lambda row: kind(**{name: read(row[name]) for name, read in reads_of.items()})


def _list_columns(row: Any, skip: int) -> Any:
    return row.items() if skip == 0 else list(row.items())[skip:]


def _read_value(expected: Any) -> Read:
    """Return how the value of a column is read into the type; text is JSON where the type is none."""
    if get_origin(expected) is Annotated:
        if expected.__origin__ is Any and "json" in expected.__metadata__:
            return _decode_any
        return _read_value(expected.__origin__)
    if type(None) in get_args(expected):
        present = _without_none(expected)
        # JSON knows a null of its own.
        read = msgspec.json.Decoder(expected).decode if _is_json(present) else _read_value(present)
        return read if read is _same else lambda value: None if value is None else read(value)
    if isinstance(expected, type) and issubclass(expected, (enum.Enum, *NUMBERS)):
        return expected
    origin = get_origin(expected)
    if origin in CONTAINERS or (origin is tuple and Ellipsis in get_args(expected)):
        container, item = CONTAINERS.get(origin, tuple), _read_value(get_args(expected)[0])
        decode = msgspec.json.Decoder(expected).decode
        return lambda value: decode(value) if isinstance(value, str) else container(map(item, value))
    return msgspec.json.Decoder(expected).decode if _is_json(expected) else _same


def _is_json(expected: Any) -> bool:
    """Return whether a column holds values of the type as JSON."""
    return bool(list_members(expected)) or get_origin(expected) in {dict, Mapping, Union, types.UnionType}


def _decode_any(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)


@functools.cache
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


@functools.cache
def list_attributes(expected: Any) -> Mapping[str, Any]:
    """Return the members of a struct, dataclass, named tuple or model (or None) and its properties by their types."""
    kind = _without_none(expected) if type(None) in get_args(expected) else expected
    if not (members := list_members(expected)):
        # A pydantic model, by what it has, so that not every process imports the library.
        return {name: member.annotation for name, member in getattr(kind, "model_fields", {}).items()}
    properties = {name: value.fget for name, value in vars(kind).items() if isinstance(value, property)}
    return {**members, **{name: get_type_hints(read)["return"] for name, read in properties.items()}}


def _without_none(expected: Any) -> Any:
    return Union[tuple(each for each in get_args(expected) if each is not types.NoneType)]  # noqa: UP007 - of a list


def _same(value: Any) -> Any:
    return value
