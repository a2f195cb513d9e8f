"""Statements as signatures: a store's function is a stub with a name, parameters and a type, its SQL stands above it.

    @statement("SELECT data, nome FROM health_units.holidays WHERE data = :day")
    async def read_holiday(connection: Connection, day: date) -> Holiday | None: ...

`:day` becomes `$1` once, at import. The members of a struct are named like parameters (`:nome` of `holiday: Holiday`),
or with the struct where two have one of this name (`:holiday.nome`). What is cast to jsonb is sent as JSON, unless it
is text already. The return type says how rows are read, see `results`; of a statement that returns none, `bool` says
whether it touched any row and `int` how many.
"""

import inspect
import re
import types
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected
from balcao.core.database.results import CONTAINERS, NUMBERS, Read, Shape, choose_shape, list_members

P = ParamSpec("P")
T = TypeVar("T")

STATEMENTS: "dict[str, Statement[..., Any]]" = {}
"""The statements of all modules that are loaded, by name."""

# A name after a colon, with the cast that follows; a cast alone, a text in quotes and a comment hold none.
_TOKEN = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::\w+|:([a-z_]\w*(?:\.[a-z_]\w*)?)(::jsonb)?")
_VERB = re.compile(r"\b(SELECT|VALUES|SHOW|INSERT|UPDATE|DELETE|CREATE|LOCK|NOTIFY|SET)\b")


class MalformedStatement(Exception):
    """The text and the signature of a statement do not fit; raised at import."""


class Statement(Generic[P, T]):
    """One statement: its `name` (the feature's and the function's), the `sql` that is sent, its parameters' names."""

    def __init__(self, text: str, stub: Callable[Concatenate[Connection, P], Awaitable[T]]) -> None:
        feature = stub.__module__.removeprefix("balcao.").removesuffix("store").rstrip("._")
        self.name = f"{feature}.{stub.__name__}"
        self.__doc__ = stub.__doc__
        hints = get_type_hints(stub, include_extras=True)
        _, *self._arguments = inspect.signature(stub).parameters.values()
        self.parameters: list[str] = []
        self._values: list[Read] = []  # of a call's arguments: one for each parameter
        self._used: set[str] = set()
        self.sql = f"/* {self.name} */ {_TOKEN.sub(partial(self._number, hints), text)}"
        if unused := [argument.name for argument in self._arguments if argument.name not in self._used]:
            raise MalformedStatement(f"{self.name}: the text does not use {', '.join(unused)}")
        self._shape = choose_shape(hints["return"])
        if not _gives_rows(text) and hints["return"] in {bool, int}:
            self._shape = Shape("nothing", lambda status: hints["return"](affected(status)))
        elif not _gives_rows(text) and hints["return"] is not types.NoneType:
            raise MalformedStatement(f"{self.name}: it returns no rows")

    async def __call__(self, connection: Connection, *given: P.args, **named: P.kwargs) -> T:
        """Run the statement and return what it found."""
        values = self.bind(given, named)
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
            rest = self._arguments[len(given) :]
            given = (*given, *(named.get(argument.name, argument.default) for argument in rest))
        return [value(given) for value in self._values]

    def _number(self, hints: Mapping[str, Any], token: re.Match[str]) -> str:
        """Return the `$1` of a name, or what is none as it stands. Raises MalformedStatement for an unknown name."""
        name, suffix = token[1], token[2] or ""
        if name is None:
            return token[0]
        key = f"{name}{suffix}"
        if key not in self.parameters:
            argument, _, member = self._find(name, hints).partition(".")
            place = [each.name for each in self._arguments].index(argument)
            expected, read = hints[argument], cast(Read, itemgetter(place))
            if member:
                expected, read = list_members(expected)[member], _then(read, _unless_none(attrgetter(member)))
            encode = _choose_encoder(expected, is_json=bool(suffix))
            self.parameters.append(key)
            self._values.append(_then(read, encode) if encode else read)
            self._used.add(argument)
        return f"${self.parameters.index(key) + 1}{suffix}"

    def _find(self, name: str, hints: Mapping[str, Any]) -> str:
        """Return the argument, or the member of one (`holiday.nome`), that the name stands for."""
        names = [argument.name for argument in self._arguments]
        found = [name] if name in names else [f"{each}.{name}" for each in names if name in list_members(hints[each])]
        if "." in name and name.partition(".")[2] in list_members(hints.get(name.partition(".")[0])):
            found = [name]
        if len(found) != 1:
            raise MalformedStatement(f"{self.name}: :{name} is {' and '.join(found) or 'no parameter'}")
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


def _gives_rows(text: str) -> bool:
    """Return whether the statement, and not only a part of it, returns rows."""
    outer = re.sub(r"'(?:[^']|'')*'|--[^\n]*", "", text)
    while (inner := re.sub(r"\([^()]*\)", "", outer)) != outer:
        outer = inner
    verb = _VERB.search(outer)
    return "RETURNING" in outer or (verb is not None and verb[0] in {"SELECT", "VALUES", "SHOW"})


def _choose_encoder(expected: Any, *, is_json: bool) -> Read | None:
    """Return what makes a value of the type one that the driver takes; None where it is one. None stays None."""
    (kind, *others) = [each for each in get_args(expected) if each is not types.NoneType] or [expected]
    if get_origin(expected) not in {Union, types.UnionType} or others:
        kind = expected
    encode: Read | None = None
    if is_json:
        encode = None if kind is str else json_text
    elif kind in NUMBERS:
        encode = attrgetter("digits")
    elif get_origin(kind) in CONTAINERS:
        encode = _list_digits if get_args(kind)[0] in NUMBERS else list
    elif list_members(kind):
        raise MalformedStatement(f"{kind}: name its members, or cast it to jsonb")
    return encode and _unless_none(encode)


def _list_digits(numbers: Iterable[Any]) -> list[str]:
    return [number.digits for number in numbers]


def _unless_none(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def _then(first: Read, second: Read) -> Read:
    return lambda value: second(first(value))
