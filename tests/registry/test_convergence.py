"""Any order, repetition or retry of a set of events ends in the same mirror (registry document, case C2)."""

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror import store
from balcao.registry.mirror.writes import of_delta
from tests.support.sizes import size

ANA = Cpf("90000000175")
START = datetime(2026, 7, 1, tzinfo=UTC)
Event = tuple[datetime, dict[str, Any] | None]

moments = st.integers(0, 5).map(lambda minutes: START + timedelta(minutes=minutes))
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
events: st.SearchStrategy[list[Event]] = st.lists(st.tuples(moments, st.none() | deltas), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def loop_and_connection(database_url: str) -> Iterator[tuple[asyncio.AbstractEventLoop, asyncpg.Connection]]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(database_url))
        yield runner.get_loop(), connection
        runner.run(connection.close())


async def outcome(connection: asyncpg.Connection, sequence: list[Event]) -> Any:
    """The mirror after applying the events in this order, each in its own transaction; nothing stays behind."""
    whole = connection.transaction()
    await whole.start()
    try:
        for at, dados in sequence:
            async with connection.transaction():
                if dados is None:
                    await mirror.anonymise(connection, ANA, at)
                else:
                    await mirror.apply_delta(connection, ANA, of_delta(dados), at)
        held = await store.read(connection, ANA)
        consented = await connection.fetch("SELECT * FROM registry.crm_consentimentos ORDER BY categoria, canal")
        heads = await connection.fetch("SELECT anonymised_at, consents_cleared_at FROM registry.mirror_head")
        return held.registers, held.wordings, [tuple(row) for row in consented], [tuple(row) for row in heads]
    finally:
        await whole.rollback()


@settings(max_examples=size(60, 2_000))
@given(sequence=events, seed=st.integers(0, 2**32))
def test_any_shuffle_with_repetitions_ends_as_the_sorted_sequence(
    loop_and_connection: tuple[asyncio.AbstractEventLoop, asyncpg.Connection], sequence: list[Event], seed: int
) -> None:
    loop, connection = loop_and_connection
    chance = random.Random(seed)
    shuffled = sequence + chance.sample(sequence, chance.randint(0, len(sequence)))
    chance.shuffle(shuffled)
    in_order = sorted(sequence, key=lambda event: event[0])
    assert loop.run_until_complete(outcome(connection, shuffled)) == loop.run_until_complete(
        outcome(connection, in_order)
    )
