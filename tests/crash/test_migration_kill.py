"""kill -9 of the worker in each phase of a schema migration. Another worker continues, and no write fails."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from balcao.settings import Settings
from tests.search.support import REQUIRED
from tests.support import log_scan
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import FULL, size
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Terminal

pytestmark = pytest.mark.long

LEASE_SECONDS = 2
SERVICES = size(20, 200)
WRITERS = 2
PAUSE_SECONDS = 0.0 if FULL else 0.05  # without a pause, the writers would delay the workers' start
SERVICES_PATH = "/search/api/v1/admin/services"
MIGRATION_PATH = "/search/api/v1/admin/migration"

# A lock for each phase. A phase stops while the test holds its lock. Writers do not need these locks.
HOLDS = {
    "preparing": "SELECT search.enter_collection()",
    "back_fill": "SELECT FROM search.{source} WHERE id = '{untouched}' FOR UPDATE",
    "indexing": "LOCK TABLE search.{target} IN SHARE UPDATE EXCLUSIVE MODE",
    "verifying": "SELECT pg_advisory_xact_lock(4444)",
    "switching": "SELECT search.enter_collection()",
}
V4 = """
CREATE FUNCTION search.v4_forward(id uuid, doc jsonb, carried jsonb) RETURNS search.divided
    LANGUAGE sql IMMUTABLE AS $$ SELECT doc || '{"taxa": 1}', carried $$;
-- Only the verification steps back; it waits for whoever holds the lock.
CREATE FUNCTION search.v4_reverse(id uuid, doc jsonb, carried jsonb) RETURNS search.divided
    LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4444); RETURN (doc - 'taxa', carried); END $$;
INSERT INTO search.schema_versions (version, position, fields, columns, indexes, fold_revision, forward, reverse)
SELECT 'v4', 4, fields || 'taxa'::text, columns, indexes, fold_revision, 'v4_forward', 'v4_reverse'
FROM search.schema_versions WHERE version = 'v3';
"""


@pytest.fixture
def terminal(settings: Settings, database_url: str, tmp_path: Path) -> Terminal:
    return Terminal(
        tmp_path,
        database_url=database_url,
        port=free_port(),
        data_dir=settings.data_dir,
        auth_issuer=settings.auth_issuer,
        search_migration_lease=LEASE_SECONDS,
    )


@contextmanager
def worker(terminal: Terminal) -> Iterator[None]:
    """Run a worker process, and end it with kill -9."""
    with (log_scan.folder() / "migration-worker.log").open("ab") as log:
        process = subprocess.Popen([str(BALCAO), "worker"], env=terminal.environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait(PATIENCE)


@asynccontextmanager
async def held(database_url: str, statement: str) -> AsyncIterator[None]:
    """Hold the statement's locks in an open transaction."""
    connection = await asyncpg.connect(database_url)
    try:
        async with connection.transaction():
            await connection.execute(statement)
            yield
    finally:
        await connection.close()


class Writers:
    """Writers that continuously change services and record the acknowledged changes."""

    def __init__(self, client: httpx.AsyncClient, ids: list[str]) -> None:
        self.acknowledged: dict[str, tuple[str, int]] = {}
        self.count = 0
        self._client = client
        self._ids = ids
        self._ended = False

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            for number in range(WRITERS):
                group.create_task(self._write(self._ids[number::WRITERS]))
            yield
            self._ended = True

    async def _write(self, ids: list[str]) -> None:
        turn = 0
        while not self._ended:
            chosen, turn = ids[turn % len(ids)], turn + 1
            name = f"Escrita {turn}"
            answer = await self._client.put(f"{SERVICES_PATH}/{chosen}", json=REQUIRED | {"nome_servico": name})
            assert answer.status_code == 200, answer.text
            self.acknowledged[chosen] = (name, answer.json()["version"])
            self.count += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async def some_more(self) -> None:
        """Wait until several more changes are acknowledged."""
        before = self.count
        while self.count < before + 2 * WRITERS:  # noqa: ASYNC110 - the writers run as tasks
            await asyncio.sleep(0.01)


@pytest.mark.cases("search", "60")
async def test_another_worker_goes_on_whatever_phase_the_first_one_dies_in(
    terminal: Terminal, http: httpx.Client, database_url: str, issuer: Issuer
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(V4)
    async with (
        asyncio.timeout(PATIENCE),
        httpx.AsyncClient(base_url=http.base_url, headers=bearer(issuer.admin()), timeout=PATIENCE) as client,
    ):
        made = [(await client.post(SERVICES_PATH, json=REQUIRED)).json()["id"] for _ in range(SERVICES)]
        untouched = max(made)
        writers = Writers(client, [one for one in made if one != untouched])
        async with writers.at_work():
            begun = (await client.post(f"{MIGRATION_PATH}/start", json={"schema_version": "v4"})).json()
            names = {
                "source": begun["source_collection"],
                "target": begun["target_collection"],
                "untouched": untouched,
            }
            holds = {phase: held(database_url, statement.format(**names)) for phase, statement in HOLDS.items()}
            await holds["preparing"].__aenter__()
            for phase, following in zip(HOLDS, [*list(HOLDS)[1:], None], strict=True):
                with worker(terminal):
                    await reached(owner, phase)
                    await writers.some_more()
                await writers.some_more()
                if following:
                    await holds[following].__aenter__()
                await holds[phase].__aexit__(None, None, None)
            with worker(terminal):
                while (await client.get(f"{MIGRATION_PATH}/status")).json()["status"] == "in_progress":
                    await writers.some_more()
        done = (await client.get(f"{MIGRATION_PATH}/status")).json()
        assert (done["status"], done["progress"], done["total_documents"]) == ("completed", 100, SERVICES)
        await both_tables_have(owner, writers)
        async with writers_again(client, writers) as more:
            assert (await client.post(f"{MIGRATION_PATH}/rollback")).status_code == 200
            await more.some_more()
        await both_tables_have(owner, more)
    await owner.close()


@asynccontextmanager
async def writers_again(client: httpx.AsyncClient, before: Writers) -> AsyncIterator[Writers]:
    more = Writers(client, sorted(before.acknowledged))
    async with more.at_work():
        yield more


async def reached(owner: asyncpg.Connection, phase: str) -> None:
    """Wait until a worker runs this phase of the migration."""
    there = "SELECT true FROM search.search_migrations WHERE phase = $1 AND lease_until > now()"
    while not await owner.fetchval(there, phase):  # noqa: ASYNC110 - the phase changes in another process
        await asyncio.sleep(0.05)


async def both_tables_have(owner: asyncpg.Connection, writers: Writers) -> None:
    """Check that both tables contain all acknowledged changes and are equal."""
    physical, mirror = await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")
    for table in (physical, mirror):
        rows = await owner.fetch(f"SELECT id::text, doc ->> 'nome_servico' AS name, version FROM search.{table}")
        found = {row["id"]: (row["name"], row["version"]) for row in rows}
        assert {one: found[one] for one in writers.acknowledged} == writers.acknowledged
    assert (
        await owner.fetchval("SELECT differing FROM search.compare_chunk($1, $2, NULL, NULL)", physical, mirror) == []
    )
