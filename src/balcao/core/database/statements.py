"""Typed SQL statements: a stub declares the name, parameters and return type, and a decorator contains the SQL.

    @statement("SELECT data, nome FROM health_units.holidays WHERE data = :day")
    async def select_holiday(connection: Connection, day: date) -> Holiday | None: ...

`:day` becomes `$1` at import. Members and properties of a struct, and members of a pydantic model, can be used like
parameters: `:nome` of `holiday: Holiday`, or `:holiday.nome` if the name is ambiguous. The name of a nested member
follows a dot. Members of a sequence of structs become arrays: `unnest(:holidays.data::date[], :holidays.nome::text[])`.
A value that is cast to jsonb is encoded as JSON, unless it is already text.

The return type determines how rows are read (see `results`). For a statement without rows, `bool` means "any row was
affected" and `int` is the number of affected rows.

`statements` makes one function from several texts, for example the same query on several tables.
"""

import inspect
import re
import types
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from balcao.core.database.pool import Connection, Database, Source, json_text
from balcao.core.database.queries import affected
from balcao.core.database.results import (
    CONTAINERS,
    NUMBERS,
    Read,
    Shape,
    choose_shape,
    list_attributes,
    list_record_members,
)

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")

STATEMENTS: "dict[str, Statement[..., Any]]" = {}
"""The statements of all imported modules, by name."""

# This pattern matches `:name` with an optional jsonb cast. It also consumes string literals, comments and other casts,
# so that a colon inside them is not mistaken for a parameter.
_TOKEN = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::\w+|:([a-z_]\w*(?:\.[a-z_]\w*)*)(::jsonb(?:\[\])?)?")
_FIRST_WORD = re.compile(r"\s*[A-Z]+\b")
_VERB = re.compile(r"\b(SELECT|VALUES|SHOW|INSERT|UPDATE|DELETE|CREATE|LOCK|NOTIFY|SET)\b")


class MalformedStatement(Exception):
    """A statement's text does not match its signature. Raised at import."""


class Statement(Generic[P, T]):
    """A statement: its `name` (feature and function), its `sql`, and its parameters.

    `returns` is the return type of the stub.
    """

    def __init__(
        self,
        text: str,
        stub: Callable[Concatenate[Connection, P], Awaitable[T]],
        variant: str | None = None,
        types_of: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """`variant` names the text if the stub has several. `types_of` overrides types in the stub's signature."""
        feature = stub.__module__.removeprefix("balcao.").removesuffix("store").rstrip("._")
        self.name = ".".join([feature, stub.__name__, *([] if variant is None else [variant])])
        self.__doc__ = stub.__doc__
        hints = {**get_type_hints(stub, include_extras=True), **types_of}
        # Store names and defaults as plain tuples, because the attributes of `inspect.Parameter` are slow properties.
        _, *self._arguments = [(each.name, each.default) for each in inspect.signature(stub).parameters.values()]
        self.parameters: list[str] = []
        self._types: list[Any] = []  # the type of each parameter
        self._values: list[tuple[int, Read | None]] = []  # for each parameter: argument position, conversion
        # The argument that selects a variant does not have to appear in its text.
        self._used: set[str] = set() if variant is None else {self._arguments[0][0]}
        # The name goes into a comment after the first word. PostgreSQL 18 removes leading comments from
        # `pg_stat_statements`.
        word = _FIRST_WORD.match(text)
        if word is None:
            raise MalformedStatement(f"{self.name}: it begins with no word of SQL")
        numbered = _TOKEN.sub(partial(self._number, hints), text[word.end() :])
        self.sql = f"{word[0].lstrip()} /* {self.name} */{numbered}"
        if unused := [name for name, _ in self._arguments if name not in self._used]:
            raise MalformedStatement(f"{self.name}: the text does not use {', '.join(unused)}")
        self.returns = hints["return"]
        self._shape = choose_shape(self.returns)
        if not _gives_rows(text) and self.returns in {bool, int}:
            self._shape = Shape("nothing", lambda status: self.returns(affected(status)))
        elif not _gives_rows(text) and self.returns is not types.NoneType:
            raise MalformedStatement(f"{self.name}: it returns no rows")

    async def __call__(self, source: Source, *given: P.args, **named: P.kwargs) -> T:
        """Run the statement and return its result. If `source` is a database, borrow a connection for the statement."""
        if isinstance(source, Database):
            async with source.connection() as connection:
                return await self(connection, *given, **named)
        return await self._run(source, self.bind(given, named))

    async def _run(self, connection: Connection, values: Sequence[Any]) -> T:
        if self._shape.fetches == "rows":
            found = await connection.fetch(self.sql, *values)
        elif self._shape.fetches == "row":
            found = await connection.fetchrow(self.sql, *values)
        else:
            found = await connection.execute(self.sql, *values)
        read: T = self._shape.read(found)
        return read

    def bind(self, given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Return the values of `$1`, `$2`, … for a call with these arguments."""
        if len(given) < len(self._arguments):
            given = (*given, *[named.get(name, default) for name, default in self._arguments[len(given) :]])
        return [given[place] if read is None else read(given[place]) for place, read in self._values]

    def _number(self, hints: Mapping[str, Any], token: re.Match[str]) -> str:
        """Return `$1`, `$2`, … for a parameter. Return any other token unchanged.

        Raises MalformedStatement for an unknown name.
        """
        name, suffix = token[1], token[2] or ""
        if name is None:
            return token[0]
        key = f"{name}{suffix}"
        if key not in self.parameters:
            argument, *members = self._find(name, hints).split(".")
            self.parameters.append(key)
            self._types.append(_find_type(hints[argument], members))
            self._values.append(
                (
                    [name for name, _ in self._arguments].index(argument),
                    _choose_value(hints[argument], members, suffix),
                )
            )
            self._used.add(argument)
        return f"${self.parameters.index(key) + 1}{suffix}"

    def _find(self, name: str, hints: Mapping[str, Any]) -> str:
        """Return the argument (`day`) or argument member (`holiday.nome`) that the name refers to."""
        names = [name for name, _ in self._arguments]
        first = name.partition(".")[0]
        found = (
            [name] if first in names else [f"{each}.{name}" for each in names if first in list_attributes(hints[each])]
        )
        if len(found) != 1 or not _exists(found[0].split(".")[1:], hints[found[0].partition(".")[0]]):
            raise MalformedStatement(f"{self.name}: :{name} is {' and '.join(found[1:] and found) or 'no parameter'}")
        return found[0]


def statement(
    text: str,
) -> Callable[[Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]], Statement[P, T]]:
    """Turn the decorated stub into a statement. Raises MalformedStatement if its text and signature do not match."""

    def make(stub: Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]) -> Statement[P, T]:
        made = Statement(text, stub)
        STATEMENTS[made.name] = made
        return made

    return make


class Statements(Generic[K, P, T]):
    """A stub with several texts. The first argument after the connection selects one of them."""

    def __init__(self, of: Mapping[K, Statement[Concatenate[K, P], T]]) -> None:
        self.of = of

    async def __call__(self, source: Source, key: K, /, *given: P.args, **named: P.kwargs) -> T:
        """Run the statement for this key and return its result."""
        return await self.of[key](source, key, *given, **named)


def statements(
    texts: Mapping[K, str], types_of: Callable[[K], Mapping[str, Any]] = lambda _: {}
) -> Callable[[Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]], Statements[K, P, T]]:
    """Turn the decorated stub into one statement for each key of `texts`.

    `types_of` returns, by name, the types of arguments and of the result (`return`) that differ for a key. Raises
    MalformedStatement if a text and the signature do not match.
    """

    def make(stub: Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]) -> Statements[K, P, T]:
        made = {key: Statement(text, stub, str(key), types_of(key)) for key, text in texts.items()}
        STATEMENTS.update((each.name, each) for each in made.values())
        return Statements(made)

    return make


def _gives_rows(text: str) -> bool:
    """Return whether the statement returns rows. Text in parentheses, such as a CTE, is ignored."""
    outer = re.sub(r"'(?:[^']|'')*'|--[^\n]*", "", text)
    while (inner := re.sub(r"\([^()]*\)", "", outer)) != outer:
        outer = inner
    verb = _VERB.search(outer)
    return "RETURNING" in outer or (verb is not None and verb[0] in {"SELECT", "VALUES", "SHOW"})


def _exists(members: Sequence[str], expected: Any) -> bool:
    """Return whether a chain of members, such as `address.city`, exists in the type or in a sequence's element type."""
    if members and get_origin(expected) in CONTAINERS:
        expected = get_args(expected)[0]
    for member in members:
        if member not in (types_of := list_attributes(expected)):
            return False
        expected = types_of[member]
    return True


def _find_type(expected: Any, members: Sequence[str]) -> Any:
    """Return the type at the end of a chain of members that starts at the argument's type."""
    for member in members:
        expected = list_attributes(get_args(expected)[0] if get_origin(expected) in CONTAINERS else expected)[member]
    return expected


def _choose_value(expected: Any, members: Sequence[str], cast_to: str) -> Read | None:
    """Return a function that converts an argument for the driver, or None if it needs no conversion.

    `members` is the chain from the argument to the value. None is not converted, and a member of None is None.
    """
    if get_origin(expected) in CONTAINERS and (members or cast_to == "::jsonb[]"):
        each = _choose_value(get_args(expected)[0], members, cast_to)
        return list if each is None else lambda items: [each(item) for item in items]
    read, path, is_optional = cast("Read | None", None), "", _is_optional(expected)
    for member in members:
        path = f"{path}.{member}".lstrip(".")
        expected = list_attributes(expected)[member]
        if _is_optional(expected) or member == members[-1]:
            step = attrgetter(path)
            read, path = _then(read, _unless_none(step) if is_optional else step), ""
            is_optional = is_optional or _is_optional(expected)
    encode = _choose_encoder(expected, is_json=bool(cast_to))
    return read if encode is None else _then(read, _unless_none(encode) if is_optional else encode)


def _is_optional(expected: Any) -> bool:
    return types.NoneType in get_args(expected)


def _choose_encoder(expected: Any, *, is_json: bool) -> Read | None:
    """Return a function that encodes a value for the driver, or None if it needs no encoding."""
    (kind, *others) = [each for each in get_args(expected) if each is not types.NoneType] or [expected]
    if get_origin(expected) not in {Union, types.UnionType} or others:
        kind = expected
    if is_json:
        return None if kind is str else json_text
    if kind in NUMBERS:
        return attrgetter("digits")
    if get_origin(kind) in CONTAINERS:
        return (lambda numbers: [number.digits for number in numbers]) if get_args(kind)[0] in NUMBERS else list
    if list_record_members(kind):
        raise MalformedStatement(f"{kind}: name its members, or cast it to jsonb")
    return None


def _unless_none(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def _then(first: Read | None, second: Read) -> Read:
    return second if first is None else lambda value: second(first(value))
