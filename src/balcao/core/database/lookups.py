"""Look-ups: read statements that batch concurrent callers into one query.

    @lookup("SELECT data, nome FROM health_units.holidays WHERE data = :day")
    async def read_holiday(source: Source, day: date) -> Holiday | None: ...

With a connection, a look-up runs like any other statement and sees the connection's transaction. With a `Database`, it
waits for the end of the event loop iteration. All calls of the same look-up that arrive until then become one query
with the parameters as arrays. A single call is sent unchanged. If no call of the look-up is in flight, the first call
does not wait: it is sent immediately (on Python 3.12 and later).

The shared query runs the original text once for each caller through LATERAL, so PostgreSQL uses the same plan for each
caller. Parameters have the SQL types of the signature: `:day` is compared as a date.
"""

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, get_args, get_origin
from uuid import UUID

from balcao.core.database.pool import Connection, Database, Row, Source
from balcao.core.database.results import NUMBERS, Shape, choose_shape
from balcao.core.database.statements import STATEMENTS, MalformedStatement, Statement, Statements

K = TypeVar("K")
P = ParamSpec("P")
T = TypeVar("T")

_PARAMETER = re.compile(r"\$([0-9]+)")
_TYPES: dict[Any, str] = {
    int: "bigint",
    float: "float8",
    bool: "boolean",
    UUID: "uuid",
    date: "date",
    datetime: "timestamptz",
    timedelta: "interval",
}


class Lookup(Statement[P, T]):
    """A statement that concurrent callers can share. `shared_sql` is its SQL with arrays as parameters."""

    def __init__(
        self,
        text: str,
        stub: Callable[Concatenate[Connection, P], Awaitable[T]],
        variant: str | None = None,
        types_of: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Build both SQL statements.

        Raises MalformedStatement if there are no parameters or no returned rows, or if a parameter has a type that
        arrays do not support.
        """
        super().__init__(text, stub, variant, types_of)
        if self._shape.fetches == "nothing" or not self.parameters:
            raise MalformedStatement(f"{self.name}: a look-up has parameters, and returns rows")
        self._shared_shape = choose_shape(self.returns, skip=1)
        self._read = self._fetch  # one object, because `Database` uses it as the batch's key
        # The subquery hides the length of the arrays from the planner. If the planner saw it, a custom plan for a few
        # callers would look cheaper than the generic plan, and PostgreSQL would plan the query on every execution.
        arrays = [f"(SELECT ${place}::{self._choose_type(kind)}[])" for place, kind in enumerate(self._types, 1)]
        columns = [f"p{place}" for place, _ in enumerate(self._types, 1)]
        one = _PARAMETER.sub(r"asked.p\1", self.sql)
        self.shared_sql = f"""SELECT /* {self.name} shared */ asked.caller, found.*
FROM unnest({", ".join(arrays)}) WITH ORDINALITY AS asked ({", ".join(columns)}, caller)
CROSS JOIN LATERAL (
{one}
) AS found"""  # noqa: S608 - our own text

    async def __call__(self, source: Source, *given: P.args, **named: P.kwargs) -> T:
        """Run the statement, batched with other callers if `source` is a database, and return the result."""
        if not isinstance(source, Database):
            return await self._run(source, self.bind(given, named))
        shape, found = await source.read_grouped(self._read, self.bind(given, named))
        read: T = shape.read(found)
        return read

    async def _fetch(
        self, connection: Connection, asked: Sequence[Sequence[Any]], seconds: float
    ) -> Sequence[tuple[Shape, Any]]:
        """Return, for each caller, the shape that reads the rows and the rows for the caller's parameters."""
        is_row = self._shape.fetches == "row"
        if len(asked) == 1:
            fetch = connection.fetchrow if is_row else connection.fetch
            return [(self._shape, await fetch(self.sql, *asked[0], timeout=seconds))]
        rows = await connection.fetch(self.shared_sql, *zip(*asked, strict=True), timeout=seconds)
        shape = self._shared_shape
        if is_row:
            first: list[Row | None] = [None] * len(asked)
            for row in rows:
                if first[row[0] - 1] is None:
                    first[row[0] - 1] = row
            return [(shape, row) for row in first]
        found: list[list[Row]] = [[] for _ in asked]
        for row in rows:
            found[row[0] - 1].append(row)
        return [(shape, theirs) for theirs in found]

    def _choose_type(self, expected: Any) -> str:
        """Return the SQL type of a parameter. Raises MalformedStatement for a type that arrays do not support."""
        if NoneType in get_args(expected):
            (expected,) = [each for each in get_args(expected) if each is not NoneType]
        if get_origin(expected) is Annotated:
            expected = expected.__origin__
        if isinstance(expected, type) and issubclass(expected, (str, *NUMBERS)):
            return "text"
        if expected not in _TYPES:
            raise MalformedStatement(f"{self.name}: {expected} is no parameter of a look-up")
        return _TYPES[expected]


def lookup(text: str) -> Callable[[Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]], Lookup[P, T]]:
    """Turn the decorated stub into a look-up. Raises MalformedStatement if its text and signature do not match."""

    def make(stub: Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]) -> Lookup[P, T]:
        made = Lookup(text, stub)
        STATEMENTS[made.name] = made
        return made

    return make


def lookups(
    texts: Mapping[K, str], types_of: Callable[[K], Mapping[str, Any]] = lambda _: {}
) -> Callable[[Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]], Statements[K, P, T]]:
    """Turn the decorated stub into one look-up for each key, with the same arguments and errors as `statements`."""

    def make(stub: Callable[Concatenate[Connection, K, P], Coroutine[Any, Any, T]]) -> Statements[K, P, T]:
        made = {key: Lookup(text, stub, str(key), types_of(key)) for key, text in texts.items()}
        STATEMENTS.update((each.name, each) for each in made.values())
        return Statements(made)

    return make
