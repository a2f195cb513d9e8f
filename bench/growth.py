"""Compares a town of ten thousand citizens with a city of a million or more, under the same number of callers.

The town and the city each have their own server and their own database, on the same PostgreSQL. The operator's import
command creates the citizens. The benchmark measures town and city alternately.
"""

import asyncio
import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import asyncpg

from balcao_sandbox.demo.registry.invented import make_cpf
from bench import servers
from bench.cases import Case, own_record_case, preferences_case
from bench.go_programs import Programs
from bench.rounds import Taken, in_turns
from bench.stage import DATABASE, OURS, TOKEN_SECONDS, Stage

TOWN = 10_000
CITY_VARIABLE = "BENCH_CITIZENS"
CITY = 1_000_000
# The number of callers. They are spread evenly among all citizens, so that they touch the whole index and table.
ASKING = 1_000

# Stores a notification choice for every citizen.
_CHOOSE = (
    "INSERT INTO registry.preferences (cpf) SELECT cpf FROM registry.base_record ON CONFLICT DO NOTHING",
    """INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
       SELECT cpf, category, false FROM registry.base_record, unnest('{events,courses}'::text[]) AS category
       ON CONFLICT DO NOTHING""",
    "VACUUM ANALYZE",
    "CHECKPOINT",
)
_SIZES = """
SELECT pg_database_size(current_database()), pg_table_size('registry.base_record'),
       pg_indexes_size('registry.base_record')
"""
# Counts sequential scans of large tables, which would take longer in a larger city.
_SCANS = """
SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables
WHERE schemaname = 'registry' AND n_live_tup >= $1
"""
MANY_ROWS = 5_000


@dataclass(frozen=True)
class Settled:
    """The time and disk space that creating a town or city took, and how often calls scanned its large tables."""

    citizens: int
    seconds: float
    database: int
    table: int
    index: int
    scans: int

    def __str__(self) -> str:
        return (
            f"{self.citizens} cidadãos: importados em {self.seconds:.0f} s ({self.citizens / self.seconds:.0f} por "
            f"segundo); banco {self.database / 1e9:.2f} GB, cadastro {self.table / 1e9:.2f} GB e seu índice "
            f"{self.index / 1e9:.2f} GB; tabelas grandes lidas de ponta a ponta durante a medida: {self.scans}"
        )


def city_size() -> int:
    return int(os.environ.get(CITY_VARIABLE, CITY))


def measured(stage: Stage, programs: Programs, seconds: float, rounds: int) -> tuple[dict[str, Taken], list[Settled]]:
    """Return the rounds of each read, the city's and then the town's, and a description of how each was created."""
    sizes = list(dict.fromkeys((city_size(), TOWN)))
    imported = {size: _import(stage, size) for size in sizes}
    with contextlib.ExitStack() as held:
        running = {size: held.enter_context(_server(stage, programs, size)) for size in sizes}
        before = {size: _ask(stage, size, _SCANS, MANY_ROWS)[0] for size in sizes}
        taken = {
            key: in_turns(
                {server.name: partial(server.measure, asked(stage, size)[key]) for size, server in running.items()},
                seconds,
                rounds,
            )
            for key in asked(stage, TOWN)
        }
    settled = []
    for size in sizes:
        scans = _ask(stage, size, _SCANS, MANY_ROWS)[0] - before[size]
        database, table, index = _ask(stage, size, _SIZES)
        settled.append(Settled(size, imported[size], database, table, index, scans))
    return taken, settled


def asked(stage: Stage, size: int) -> dict[str, Case]:
    """Return the read cases among `size` citizens."""
    ends = int(time.time()) + TOKEN_SECONDS
    people = [make_cpf(number * (size // ASKING)).digits for number in range(1, ASKING + 1)]
    own = {cpf: stage.person(cpf, ends) for cpf in people}
    return {"preferences": preferences_case(own), "own_record": own_record_case(own)}


def _import(stage: Stage, size: int) -> float:
    """Import `size` citizens into a copy of the stage's database. Return the seconds that the import took."""
    asyncio.run(_execute(stage.database_url.replace(f"@/{DATABASE}?", "@/template1?"), [_new_database(size)]))
    environment = OURS.environment(stage.folder / f"import_{size}", _address(stage, size), stage.issuer)
    began = time.monotonic()
    with subprocess.Popen(
        OURS.command("registry", "generate", str(size)), env=environment, stdout=subprocess.PIPE
    ) as generated:
        subprocess.run(
            OURS.command("registry", "import", "-"),
            env=environment,
            stdin=generated.stdout,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    spent = time.monotonic() - began
    asyncio.run(_execute(_address(stage, size), _CHOOSE))
    return spent


@contextlib.contextmanager
def _server(stage: Stage, programs: Programs, size: int) -> Iterator[servers.Server]:
    name = f"{size:,} cidadãos".replace(",", ".")
    with servers.balcao(stage, programs, name, _address(stage, size), OURS) as server:
        yield server


def _new_database(size: int) -> str:
    return f"CREATE DATABASE citizens_{size} TEMPLATE {DATABASE}"


def _address(stage: Stage, size: int) -> str:
    return stage.database_url.replace(f"@/{DATABASE}?", f"@/citizens_{size}?")


def _ask(stage: Stage, size: int, query: str, *values: int) -> tuple[int, ...]:
    async def ask() -> tuple[int, ...]:
        connection = await asyncpg.connect(_address(stage, size))
        try:
            return tuple(map(int, await connection.fetchrow(query, *values)))
        finally:
            await connection.close()

    return asyncio.run(ask())


async def _execute(url: str, statements: Sequence[str]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
