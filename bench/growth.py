"""The preferences read in a town and in a city: the same people ask, among ten thousand and among a million.

Each has a database of its own on the same PostgreSQL and a server of its own, and they are measured in turns.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator
from functools import partial

import asyncpg

from balcao.core.values.cpf import Cpf
from bench import servers
from bench.cases import preferences_case
from bench.golang import Programs
from bench.rounds import Taken, in_turns
from bench.stage import DATABASE, OURS, TOKEN_SECONDS, Stage

TOWN = 10_000
CITY_VARIABLE = "BENCH_CITIZENS"
CITY = 1_000_000
# Their keys lie evenly among all others, so that they touch the whole index and the whole table.
ASKING = 1_000
_FIRST = 20_000_000_000
_LAST = 29_000_000_000

# Everybody has chosen once. The keys need no right check digits, for nobody but those who ask is looked at.
_PEOPLE = """
INSERT INTO person
SELECT ($1 + number * $2)::text FROM generate_series(1, $3::bigint) AS number UNION SELECT unnest($4::text[])
"""
_FILL = (
    "INSERT INTO registry.preferences (cpf) SELECT cpf FROM person ON CONFLICT DO NOTHING",
    """INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
       SELECT person.cpf, category, false FROM person, unnest('{events,courses}'::text[]) AS category
       ON CONFLICT DO NOTHING""",
    "VACUUM ANALYZE registry.preferences, registry.preference_choice",
    "CHECKPOINT",
)


def city_size() -> int:
    return int(os.environ.get(CITY_VARIABLE, CITY))


def measured(stage: Stage, programs: Programs, seconds: float, rounds: int) -> Taken:
    """The city first, then the town."""
    asking = [Cpf.with_stem(f"{20 * 10**7 + number * 90_000:09}").digits for number in range(ASKING)]
    ends = int(time.time()) + TOKEN_SECONDS
    case = preferences_case({cpf: stage.person(cpf, ends) for cpf in asking})
    with contextlib.ExitStack() as held:
        sizes = dict.fromkeys((city_size(), TOWN))
        running = [held.enter_context(_server(stage, programs, size, asking)) for size in sizes]
        return in_turns({server.name: partial(server.measure, case) for server in running}, seconds, rounds)


@contextlib.contextmanager
def _server(stage: Stage, programs: Programs, size: int, asking: list[str]) -> Iterator[servers.Server]:
    url = asyncio.run(_populated(stage, size, asking))
    name = f"{size:,} cidadãos".replace(",", ".")
    with servers.balcao(stage, programs, name, url, OURS) as server:
        yield server


async def _populated(stage: Stage, size: int, asking: list[str]) -> str:
    """A copy of the stage's database with this many citizens; returns its address."""
    name = f"citizens_{size}"
    administration = await asyncpg.connect(stage.database_url.replace(f"@/{DATABASE}?", "@/template1?"))
    try:
        await administration.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE}")
    finally:
        await administration.close()
    url = stage.database_url.replace(f"@/{DATABASE}?", f"@/{name}?")
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CREATE TEMP TABLE person (cpf text)")
        await connection.execute(_PEOPLE, _FIRST, (_LAST - _FIRST) // size, size, asking)
        for statement in _FILL:
            await connection.execute(statement)
    finally:
        await connection.close()
    return url
