"""Choose, once at import, how a statement's rows are converted to the return type of its function."""

import dataclasses
import enum
import functools
import inspect
import operator
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import asyncpg
import msgspec

from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf

C = TypeVar("C")
T = TypeVar("T")

# Types that the database stores as text consisting of digits.
NUMBERS = (Cpf, Cnes)
Read: TypeAlias = Callable[[Any], Any]
Json: TypeAlias = Annotated[T, "json"]
"""A value that one column stores as JSON.

Use it for a type that would otherwise be read from several rows or columns, and for `Any`, whose column would otherwise
not be decoded.
"""


class Paged(NamedTuple, Generic[T]):
    """The result of a `page_sql` statement: the items of a page, and the total number of items on all pages."""

    items: list[T]
    total: int


class PagedWithCounts(NamedTuple, Generic[T, C]):
    """Like `Paged`, but the total is a JSON object with several numbers."""

    items: list[T]
    counts: C


class Shape(NamedTuple):
    """How to read a result. `fetches` is `nothing`, `row` or `rows`, and `read` converts what was fetched."""

    fetches: str
    read: Read


CONTAINERS: Mapping[Any, Callable[[Any], Any]] = {
    list: list, Sequence: list, set: set, Collection: list, frozenset: frozenset
}  # fmt: skip


def choose_shape(expected: Any, skip: int = 0) -> Shape:
    """Return how to convert rows to the type. The first `skip` columns are ignored.

    - `T` and `T | None` read the first row. A `bool` is false if there is no row.
    - `list`, `set` and `Sequence` read all rows. A `Mapping` uses the first column as the key.
    - `Paged` and `PagedWithCounts` read a page.

    Within a row, a type with a class method `from_row` is created by that method. The members of a struct, dataclass or
    named tuple match columns by name. A member of such a type that has no column reads the columns of its own members.
    A `dict` gets all columns by name, a `tuple` gets all columns by position, and any other type gets the first column.
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
        read_items = _read_all(arguments[0], skip + 2)  # skip the columns `total` and `place` too
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
    """Return a function that converts one row to the type. The first `skip` columns are ignored."""
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
    if list_record_members(expected):
        return _Members(expected, skip)
    value = _read_value(expected)
    return lambda row: value(row[skip])


def _read_all(expected: Any, skip: int) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """Return a function that lazily converts rows to the type. The first `skip` columns are ignored."""
    read = _read_row(expected, skip)
    if isinstance(read, _Members):
        # All rows of one result have the same columns, so choose the reader only once.
        return lambda rows: map(read.choose(rows[0]), rows) if rows else ()
    return lambda rows: map(read, rows)


class _Members:
    """Converts rows to a struct, dataclass or named tuple. It caches a function for each list of columns."""

    def __init__(self, kind: Any, skip: int) -> None:
        self._kind = kind
        self._skip = skip
        self._values = {name: _read_value(hint) for name, hint in list_record_members(kind).items()}
        self._chosen: dict[tuple[str, ...], Read] = {}

    def __call__(self, row: Any) -> Any:
        return self.choose(row)(row)

    def choose(self, row: Any) -> Read:
        """Return the function that converts rows with the same columns as this row."""
        columns = tuple(row.keys())
        read = self._chosen.get(columns)
        if read is None:
            read = self._chosen[columns] = self._make(columns)
        return read

    def _make(self, columns: tuple[str, ...]) -> Read:
        kind, skip = self._kind, self._skip
        if any(name not in columns and _choose_part(hint, columns) for name, hint in list_record_members(kind).items()):
            return _read_members(kind, columns)
        columns = columns[skip:]
        values = [self._values.get(name, _same) for name in columns]
        if columns != _list_positional(kind)[: len(columns)]:
            return lambda row: kind(
                **{name: read(value) for name, read, value in zip(columns, values, row[skip:], strict=True)}
            )
        if any(read is not _same for read in values):
            return lambda row: kind(*[read(value) for read, value in zip(values, row[skip:], strict=True)])
        return lambda row: kind(*row[skip:])


def _list_positional(kind: Any) -> tuple[str, ...]:
    """Return the constructor parameters that can be passed by position, in order."""
    parameters = inspect.signature(kind).parameters.values()
    return tuple(each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD)


def read_part(kind: Callable[..., T], row: Any) -> T:
    """Create a `kind` from the columns named like its members, for a `from_row` that also reads other columns."""
    read = _choose_part(kind, tuple(row.keys()))
    assert read is not None, kind
    part: T = read(row)
    return part


@functools.cache
def _choose_part(expected: Any, columns: tuple[str, ...]) -> Read | None:
    """Return a function that reads a record from the columns with its members' names, or None if a column is missing.

    The function returns None for an optional record if all these columns are null, as after an outer join.
    """
    members = list_record_members(expected)
    if not members or any(name not in columns and not _choose_part(hint, columns) for name, hint in members.items()):
        return None
    if type(None) not in get_args(expected):
        return _read_members(expected, columns)
    read, own = _read_members(_without_none(expected), columns), [name for name in members if name in columns]
    return lambda row: None if all(row[name] is None for name in own) else read(row)


def _read_members(kind: Any, columns: tuple[str, ...]) -> Read:
    """Return a function that reads a record from a row.

    Each member is read from its own column, or from the columns of its members.
    """
    reads: dict[str, Read] = {}
    for name, hint in list_record_members(kind).items():
        if name in columns:
            reads[name] = _read_column(name, _read_value(hint))
        elif (part := _choose_part(hint, columns)) is not None:
            reads[name] = part
    return lambda row: kind(**{name: read(row) for name, read in reads.items()})


def _read_column(name: str, read: Read) -> Read:
    return operator.itemgetter(name) if read is _same else lambda row: read(row[name])


def _list_columns(row: Any, skip: int) -> Any:
    return row.items() if skip == 0 else list(row.items())[skip:]


def _read_value(expected: Any) -> Read:
    """Return a function that reads the value of one column. Decode text as JSON unless the type itself is text."""
    if get_origin(expected) is Annotated:
        if expected.__origin__ is Any and "json" in expected.__metadata__:
            return _decode_any
        return _read_value(expected.__origin__)
    if msgspec.UnsetType in get_args(expected):  # a request may omit the member; its column is then null
        stored = [each for each in get_args(expected) if each is not msgspec.UnsetType]
        return _read_value(Union[(*stored, None)])
    if type(None) in get_args(expected):
        present = _without_none(expected)
        # The column may contain the JSON value `null`, so the decoder must accept None as well.
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
    """Return whether a column of this type contains JSON."""
    return bool(list_record_members(expected)) or get_origin(expected) in {dict, Mapping, Union, types.UnionType}


def _decode_any(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)


@functools.cache
def list_record_members(expected: Any) -> Mapping[str, Any]:
    """Return the member types of a struct, dataclass or named tuple, optional or not.

    Return an empty mapping for any other type.
    """
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
    """Return the types of the members and properties of a struct, dataclass, named tuple or pydantic model."""
    kind = _without_none(expected) if type(None) in get_args(expected) else expected
    if not (members := list_record_members(expected)):
        # Recognise a pydantic model by its attribute. An isinstance check would import pydantic in every process.
        return {name: member.annotation for name, member in getattr(kind, "model_fields", {}).items()}
    properties = {name: value.fget for name, value in vars(kind).items() if isinstance(value, property)}
    return {**members, **{name: get_type_hints(read)["return"] for name, read in properties.items()}}


def _without_none(expected: Any) -> Any:
    return Union[tuple(each for each in get_args(expected) if each is not types.NoneType)]  # noqa: UP007 - of a list


def _same(value: Any) -> Any:
    return value
