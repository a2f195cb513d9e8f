"""Statements as signatures: a store's function is a stub with a name, parameters and a type, its SQL stands above it.

    @statement("SELECT data, nome FROM health_units.holidays WHERE data = :day")
    async def read_holiday(connection: Connection, day: date) -> Holiday | None: ...

`:day` becomes `$1` once, at import. Members and properties of a struct, and members of a pydantic model, are named like
parameters (`:nome` of `holiday: Holiday`), or with the struct where two have one of this name (`:holiday.nome`); their
own members follow after a dot. Of a sequence of structs the members are columns (`unnest(:holidays.data::date[],
:holidays.nome::text[])`). What is cast to jsonb is sent as JSON, unless it is text already. The return type says how
rows are read, see `results`; of a statement that returns none, `bool` says whether it touched any row and `int` how
many.

Where the same is asked of several tables, `statements` makes one function of a text for each.
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
from balcao.core.database.results import CONTAINERS, NUMBERS, Read, Shape, choose_shape, list_attributes, list_members

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")

STATEMENTS: "dict[str, Statement[..., Any]]" = {}
"""The statements of all modules that are loaded, by name."""

# A name after a colon, with the cast that follows; a cast alone, a text in quotes and a comment hold none.
_TOKEN = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::\w+|:([a-z_]\w*(?:\.[a-z_]\w*)*)(::jsonb(?:\[\])?)?")
_FIRST_WORD = re.compile(r"\s*[A-Z]+\b")
_VERB = re.compile(r"\b(SELECT|VALUES|SHOW|INSERT|UPDATE|DELETE|CREATE|LOCK|NOTIFY|SET)\b")


class MalformedStatement(Exception):
    """The text and the signature of a statement do not fit; raised at import."""


class Statement(Generic[P, T]):
    """One statement: its `name` (the feature's and the function's), the `sql` that is sent, its parameters' names.

    `returns` is the type that its rows are read into.
    """

    def __init__(
        self,
        text: str,
        stub: Callable[Concatenate[Connection, P], Awaitable[T]],
        variant: str | None = None,
        types_of: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """`variant` names one of several texts of a stub, and `types_of` the types that are not as the stub says."""
        feature = stub.__module__.removeprefix("balcao.").removesuffix("store").rstrip("._")
        self.name = ".".join([feature, stub.__name__, *([] if variant is None else [variant])])
        self.__doc__ = stub.__doc__
        hints = {**get_type_hints(stub, include_extras=True), **types_of}
        # Each one's name and default: an `inspect.Parameter` computes both whenever it is asked.
        _, *self._arguments = [(each.name, each.default) for each in inspect.signature(stub).parameters.values()]
        self.parameters: list[str] = []
        self._types: list[Any] = []  # of each of them
        self._values: list[tuple[int, Read | None]] = []  # of each: its argument's place, and what is read of that
        # The argument that chooses the variant need not occur in its text.
        self._used: set[str] = set() if variant is None else {self._arguments[0][0]}
        # After the first word: what stands before it PostgreSQL 18 leaves out of `pg_stat_statements`.
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
        """Run the statement and return what it found; asked of a database, on a connection of its own."""
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
        """Return the values of the parameters, in their order, for a call with these arguments."""
        if len(given) < len(self._arguments):
            given = (*given, *[named.get(name, default) for name, default in self._arguments[len(given) :]])
        return [given[place] if read is None else read(given[place]) for place, read in self._values]

    def _number(self, hints: Mapping[str, Any], token: re.Match[str]) -> str:
        """Return the `$1` of a name, or what is none as it stands. Raises MalformedStatement for an unknown name."""
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
        """Return the argument, or the member of one (`holiday.nome`), that the name stands for."""
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
    """Make the function below the statement of this text. Raises MalformedStatement where the two do not fit."""

    def make(stub: Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]) -> Statement[P, T]:
        made = Statement(text, stub)
        STATEMENTS[made.name] = made
        return made

    return make


class Statements(Generic[K, P, T]):
    """One function in several texts: its first argument after the connection is the key `of` the one that is run."""

    def __init__(self, of: Mapping[K, Statement[Concatenate[K, P], T]]) -> None:
        self.of = of

    async def __call__(self, source: Source, key: K, /, *given: P.args, **named: P.kwargs) -> T:
        """Run the statement of this key and return what it found."""
        return await self.of[key](source, key, *given, **named)


def statements(
    texts: Mapping[K, str], types_of: Callable[[K], Mapping[str, Any]] = lambda _: {}
) -> Callable[[Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]], Statements[K, P, T]]:
    """Make the function below one statement for each of these keys, known by the key's text.

    `types_of` a key are those of arguments and of what is returned (`return`) that differ from key to key, by their
    names. Raises MalformedStatement.
    """

    def make(stub: Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]) -> Statements[K, P, T]:
        made = {key: Statement(text, stub, str(key), types_of(key)) for key, text in texts.items()}
        STATEMENTS.update((each.name, each) for each in made.values())
        return Statements(made)

    return make


def _gives_rows(text: str) -> bool:
    """Return whether the statement, and not only a part of it, returns rows."""
    outer = re.sub(r"'(?:[^']|'')*'|--[^\n]*", "", text)
    while (inner := re.sub(r"\([^()]*\)", "", outer)) != outer:
        outer = inner
    verb = _VERB.search(outer)
    return "RETURNING" in outer or (verb is not None and verb[0] in {"SELECT", "VALUES", "SHOW"})


def _exists(members: Sequence[str], expected: Any) -> bool:
    """Return whether the type, or a sequence's, has the first of the members, that one's the second, and so on."""
    if members and get_origin(expected) in CONTAINERS:
        expected = get_args(expected)[0]
    for member in members:
        if member not in (types_of := list_attributes(expected)):
            return False
        expected = types_of[member]
    return True


def _find_type(expected: Any, members: Sequence[str]) -> Any:
    """Return the type of the value to which the members lead from the argument's type."""
    for member in members:
        expected = list_attributes(get_args(expected)[0] if get_origin(expected) in CONTAINERS else expected)[member]
    return expected


def _choose_value(expected: Any, members: Sequence[str], cast_to: str) -> Read | None:
    """Return what makes an argument of the type a value that the driver takes; None where it is one.

    `members` lead from the argument to the value. None stays None, and so does a member of None.
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
    """Return what makes a value of the type one that the driver takes; None where it is one."""
    (kind, *others) = [each for each in get_args(expected) if each is not types.NoneType] or [expected]
    if get_origin(expected) not in {Union, types.UnionType} or others:
        kind = expected
    if is_json:
        return None if kind is str else json_text
    if kind in NUMBERS:
        return attrgetter("digits")
    if get_origin(kind) in CONTAINERS:
        return (lambda numbers: [number.digits for number in numbers]) if get_args(kind)[0] in NUMBERS else list
    if list_members(kind):
        raise MalformedStatement(f"{kind}: name its members, or cast it to jsonb")
    return None


def _unless_none(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def _then(first: Read | None, second: Read) -> Read:
    return second if first is None else lambda value: second(first(value))
