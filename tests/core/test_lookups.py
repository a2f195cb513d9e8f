"""Concurrent look-ups share a statement, and each caller gets the result that its own statement would return."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import asyncpg
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao.core.database.lookups import Lookup, lookup
from balcao.core.database.pool import Connection, Database, Source
from balcao.core.database.statements import MalformedStatement
from balcao.core.tasks import start
from tests.support.proof_sizes import size
from tests.support.sent_statements import recorded

REFUSED, *PEOPLE, UNKNOWN_PERSON = range(6)


class Note(NamedTuple):
    person: int
    version: int | None


# A person without a note has no version. Person zero makes the statement fail.
@lookup("""
SELECT :person::bigint AS person,
       (SELECT version FROM public.note WHERE person = :person) AS version,
       1 / :person AS checked
""")
async def _read_row(source: Source, person: int) -> dict[str, Any] | None: ...


@lookup("SELECT person, version FROM public.note WHERE person <= :most ORDER BY person DESC LIMIT :count")
async def list_notes(source: Source, most: int, count: int) -> list[Note]: ...  # type: ignore[empty-body]


async def read_note(source: Source, person: int) -> Note:
    row = await _read_row(source, person)
    assert row is not None
    return Note(row["person"], row["version"])


async def write_note(database: Database, person: int) -> int:
    """Increment the version of the person's note, and return the new version after the commit."""
    async with database.connection() as connection:
        written: int = await connection.fetchval(
            "UPDATE public.note SET version = version + 1 WHERE person = $1 RETURNING version", person
        )
        return written


@asynccontextmanager
async def opened(database_url: str) -> AsyncIterator[Database]:
    """Open a database in which each person has a note with version zero."""
    owner = await asyncpg.connect(database_url)
    await owner.execute("""
        DROP TABLE IF EXISTS public.note;
        CREATE TABLE public.note (person bigint PRIMARY KEY, version int NOT NULL);
        INSERT INTO public.note SELECT person, 0 FROM generate_series(1, 4) AS person;
        GRANT SELECT, UPDATE ON public.note TO balcao_app;
    """)
    await owner.close()
    database = Database(database_url, size=3)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with opened(database_url) as database:
        yield database


steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["ask at once", "ask in a turn"]), st.integers(REFUSED, UNKNOWN_PERSON)),
        st.tuples(st.just("write"), st.sampled_from(PEOPLE)),
        st.tuples(st.sampled_from(["give up", "let a turn pass"]), st.just(0)),
    ),
    max_size=150,
)


@examples(max_examples=size(12, 400), deadline=None)
@given(steps)
async def test_whoever_asks_when_gets_their_own_row_with_all_that_was_written_before(
    database_url: str, steps: list[tuple[str, int]]
) -> None:
    async with opened(database_url) as database:
        await follow(database, steps)
    assert database.in_use == 0


async def follow(database: Database, steps: list[tuple[str, int]]) -> None:
    versions = dict.fromkeys(PEOPLE, 0)
    asked: list[tuple[asyncio.Task[Note], int, int]] = []
    given_up: list[asyncio.Task[Note]] = []
    for step, person in steps:
        if step == "write":
            versions[person] = await write_note(database, person)
        elif step == "ask at once":
            asked.append((start(read_note(database, person)), person, versions.get(person, 0)))
        elif step == "ask in a turn":
            asked.append((asyncio.create_task(read_note(database, person)), person, versions.get(person, 0)))
        elif step == "give up" and asked:
            given_up.append(asked.pop()[0])
            given_up[-1].cancel()
        else:
            await asyncio.sleep(0)
    for outcome, person, at_least in asked:
        if person == REFUSED:
            with pytest.raises(asyncpg.DivisionByZeroError):
                await outcome
        elif person == UNKNOWN_PERSON:
            assert await outcome == Note(UNKNOWN_PERSON, None)
        else:
            found = await outcome
            assert (found.person, (found.version or 0) >= at_least) == (person, True)
    await asyncio.gather(*given_up, return_exceptions=True)


async def test_rows_keep_their_order_for_each_caller(database: Database) -> None:
    asked = [(4, 2), (2, 5), (0, 5), (3, 1), (4, 2)]
    with recorded() as statements:
        found = await asyncio.gather(*(list_notes(database, most, count) for most, count in asked))
    assert len(statements.texts) <= 1
    assert [[note.person for note in notes] for notes in found] == [[4, 3], [2, 1], [], [3], [4, 3]]


async def test_a_look_up_of_a_transaction_sees_what_the_transaction_wrote(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute("UPDATE public.note SET version = 7 WHERE person = 1")
        inside, outside = await read_note(connection, 1), await read_note(database, 1)
    assert (inside.version, outside.version) == (7, 0)


async def test_a_look_up_opens_a_connection_where_none_is_ready(database: Database) -> None:
    database.expire()
    assert await read_note(database, 2) == Note(2, 0)


def test_what_an_array_cannot_hold_is_no_parameter_of_a_look_up() -> None:
    async def read_all(connection: Connection, people: Sequence[int]) -> Note | None: ...

    with pytest.raises(MalformedStatement, match="no parameter of a look-up"):
        Lookup("SELECT person, version FROM public.note WHERE person = ANY (:people)", read_all)
