"""A set of events leads to the same mirror in any order, and with any repetitions or retries.

The steps also include own writes and confirmed pushes, whose order is fixed. Events older than these may arrive late or
repeatedly at any time, even during a push. Newer events arrive after them.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.context.call import worker_call
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import outbox, outbox_store
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.records import OutboxRow
from balcao.registry.mirror.store import lock_mirror, read_clock, record_pushed_fields
from balcao.registry.mirror.writes import OwnWrite, parse_delta
from tests.support import demo_people
from tests.support.proof_sizes import size

ANA = Cpf(demo_people.ANA)
START = datetime(2020, 7, 1, tzinfo=UTC)  # this time is before every own write of a run
AFTERWARDS = datetime(2098, 7, 1, tzinfo=UTC)
Event = tuple[datetime, dict[str, Any] | None]
Step = Callable[[asyncpg.Connection], Awaitable[None]]


def moments(start: datetime) -> st.SearchStrategy[datetime]:
    return st.integers(0, 5).map(lambda minutes: start + timedelta(minutes=minutes))


texts = st.sampled_from([None, "", "a", "b"])
consents = st.lists(
    st.fixed_dictionaries(
        {"categoria": st.sampled_from(["x", "y"]), "status": st.sampled_from(["IN", "OUT"]), "motivo": st.just("m")}
    ),
    max_size=2,
)
deltas = st.fixed_dictionaries(
    {},
    optional={
        "email": texts,
        "genero": texts,
        "telefone1": texts,
        "idioma": st.none() | st.lists(st.sampled_from(["pt", "en"]), max_size=2),
        "isTourist": st.none() | st.booleans(),
        "endereco": texts | st.fixed_dictionaries({}, optional={"cidade": texts, "cep": texts}),
        "consentimento": st.none() | consents,
    },
)


def events(start: datetime, least: int, most: int) -> st.SearchStrategy[list[Event]]:
    return st.lists(st.tuples(moments(start), st.none() | deltas), min_size=least, max_size=most)


own_values = st.fixed_dictionaries(
    {}, optional={"email": texts, "genero": texts, "telefone1": texts, "endereco.cep": texts}
).filter(bool)
owns = st.lists(st.tuples(own_values, st.booleans()), min_size=1, max_size=3)  # values, and whether a push follows


@pytest.fixture(scope="module")
def loop_and_connection(database_url: str) -> Iterator[tuple[asyncio.AbstractEventLoop, asyncpg.Connection]]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(database_url))
        yield runner.get_loop(), connection
        runner.run(connection.close())


async def outcome(connection: asyncpg.Connection, steps: list[Step]) -> Any:
    """Run each step in its own transaction, and return the resulting rows. Roll everything back at the end.

    The time of an own write comes from the clock and differs between runs, so the result does not contain it.
    """
    whole = connection.transaction()
    await whole.start()
    try:
        for step in steps:
            async with connection.transaction():
                await step(connection)
        held = await connection.fetch(
            "SELECT field, value::text, origin, CASE origin WHEN 'crm' THEN at END "
            "FROM registry.register ORDER BY field"
        )
        consented = await connection.fetch("SELECT * FROM registry.crm_consentimentos ORDER BY categoria, canal")
        heads = await connection.fetch("SELECT anonymised_at, consents_cleared_at FROM registry.mirror_head")
        dirty = await connection.fetch("SELECT jsonb_object_keys(dirty) FROM registry.outbox ORDER BY 1")
        return [[tuple(row) for row in rows] for rows in (held, consented, heads, dirty)]
    finally:
        await whole.rollback()


def applied(event: Event) -> Step:
    at, dados = event

    async def step(connection: asyncpg.Connection) -> None:
        if dados is None:
            await mirror.anonymise_mirror(connection, ANA, at)
        else:
            await mirror.apply_delta(connection, ANA, parse_delta(dados), at)

    return step


def declared(values: dict[str, Any]) -> Step:
    call: Any = worker_call(None, "registry.test_convergence")  # type: ignore[arg-type]

    async def step(connection: asyncpg.Connection) -> None:
        await mirror.write_own_fields(connection, call.as_owner(), ANA, OwnWrite(values))

    return step


def pushed() -> list[Step]:
    """Return the two steps of a push: read the changed values, and record the CRM's confirmation."""
    taken: list[tuple[OutboxRow, datetime]] = []

    async def take(connection: asyncpg.Connection) -> None:
        await lock_mirror(connection, ANA)
        row = await outbox_store.lock_outbox_row(connection, ANA)
        assert row is not None
        await record_pushed_fields(connection, ANA, list(row.dirty))
        taken[:] = [(row, await read_clock(connection))]

    async def confirm(connection: asyncpg.Connection) -> None:
        await lock_mirror(connection, ANA)
        [(row, begun_at)] = taken
        await outbox.mark_fields_sent(connection, ANA, row.id, row.dirty)
        await mirror.confirm_sent(connection, ANA, list(row.dirty), begun_at)

    return [take, confirm]


def of_the_citizen(writes: list[tuple[dict[str, Any], bool]], *, with_pushes: bool) -> list[Step]:
    """Return the steps of own writes and their pushes.

    A push always follows the last write, so no change remains unsent.
    """
    steps: list[Step] = []
    for number, (values, push) in enumerate(writes, 1):
        steps += [declared(values)]
        steps += pushed() if with_pushes and (push or number == len(writes)) else []
    return steps


def woven(steps: list[Step], among: list[Event], chance: random.Random) -> list[Step]:
    """Insert the events at random positions. The order of the other steps does not change."""
    found = list(steps)
    for event in among:
        found.insert(chance.randint(0, len(found)), applied(event))
    return found


def shuffled(sequence: list[Event], chance: random.Random) -> list[Event]:
    repeated = sequence + chance.sample(sequence, chance.randint(0, len(sequence)))
    chance.shuffle(repeated)
    return repeated


@pytest.mark.cases("registry", "C2")
@settings(max_examples=size(60, 2_000))
@given(sequence=events(START, 1, 12), seed=st.integers(0, 2**32))
def test_any_shuffle_with_repetitions_ends_as_the_sorted_sequence(
    loop_and_connection: tuple[asyncio.AbstractEventLoop, asyncpg.Connection], sequence: list[Event], seed: int
) -> None:
    loop, connection = loop_and_connection
    disordered = [applied(event) for event in shuffled(sequence, random.Random(seed))]
    in_order = [applied(event) for event in sorted(sequence, key=lambda event: event[0])]
    assert loop.run_until_complete(outcome(connection, disordered)) == loop.run_until_complete(
        outcome(connection, in_order)
    )


@pytest.mark.long
@settings(max_examples=size(60, 2_000))
@given(
    earlier=events(START, 0, 8),
    writes=owns,
    with_pushes=st.booleans(),
    later=events(AFTERWARDS, 0, 4),
    seed=st.integers(0, 2**32),
)
def test_own_writes_and_confirmed_pushes_stand_whenever_events_come(
    loop_and_connection: tuple[asyncio.AbstractEventLoop, asyncpg.Connection],
    earlier: list[Event],
    writes: list[tuple[dict[str, Any], bool]],
    with_pushes: bool,
    later: list[Event],
    seed: int,
) -> None:
    loop, connection = loop_and_connection
    chance = random.Random(seed)
    disordered = woven(of_the_citizen(writes, with_pushes=with_pushes), shuffled(earlier, chance), chance)
    disordered += [applied(event) for event in shuffled(later, chance)]
    in_order = [applied(event) for event in sorted(earlier, key=lambda event: event[0])]
    in_order += of_the_citizen(writes, with_pushes=with_pushes)
    in_order += [applied(event) for event in sorted(later, key=lambda event: event[0])]
    assert loop.run_until_complete(outcome(connection, disordered)) == loop.run_until_complete(
        outcome(connection, in_order)
    )
