"""kill -9 of the process that writes the search index, after the switch of a schema migration and after its rollback.

Meanwhile, four writers publish, rename, unpublish, delete and restore services, and readers search in two processes.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import asyncpg
import httpx
import psutil
import pytest
from tantivy import Query

from balcao.core.database.pool import Connection
from balcao.search.collection.store import read_alias
from balcao.search.index import store
from balcao.search.index.building import index_table
from balcao.search.index.folder import IndexFolder, IndexReader
from balcao.search.index.reader import Entry, ServiceIndex
from balcao.search.index.schema import DRAFT, EVERY, EXCLUSIVE, FILTERS
from balcao.settings import Settings
from bench.search_migration import Writes, fill, find_lost
from tests.crash.test_migration_kill import MIGRATION_PATH, worker
from tests.histories.invariants import find_late_reads, measure_lateness
from tests.histories.published import LIMIT_SECONDS, PublishedServices
from tests.histories.recorder import Ask, Operation
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until
from tests.support.proof_sizes import FULL, report, size
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.long

WRITERS = 4
KEYS = 3  # services per writer; a service's state is in its last response
READERS = 2  # readers of each process
OTHERS = size(300, 3_000)  # other services, so that building the index takes a while
MORE = size(60, 1_000)  # searches to wait for in each process
WRITE_PAUSE_SECONDS = 0.0 if FULL else 0.05
READ_PAUSE_SECONDS = 0.05  # the search has a rate limit for each address
LATEST_SECONDS = size(3, 1) * LIMIT_SECONDS  # an ordinary run shares the machine with other tests
# The engine's lock, a file that only the writer of the index has open.
LOCK = ".tantivy-writer.lock"


class Processes:
    """Two processes that serve the search and share a data folder. A supervisor restarts each after a kill."""

    def __init__(self, terminals: list[Terminal], stack: ExitStack) -> None:
        words = ("search", "access", "--no-worker", "--processes", "1")
        self.addresses = [f"http://127.0.0.1:{one.environment['BALCAO_PORT']}" for one in terminals]
        self._servings = [stack.enter_context(Serving(one, *words)) for one in terminals]

    async def kill_writer(self) -> None:
        """Wait until one of the processes writes the index, and kill it."""
        await until(self._kill_writer)

    def _kill_writer(self) -> bool:
        for process in (process for one in self._servings for process in one.processes("api")):
            with suppress(psutil.NoSuchProcess):
                if any(file.path.endswith(LOCK) for file in process.open_files()):
                    process.kill()
                    return True
        return False


class Clients:
    """Writers and readers, and the history of their calls. The writers call a separate host, which is never killed."""

    def __init__(self, client: httpx.AsyncClient, addresses: list[str]) -> None:
        self.services = PublishedServices(range(WRITERS * KEYS))
        self.writes = Writes()
        self.history: list[Operation] = []
        self._client = client
        self._addresses = addresses
        self._searches = Counter[str]()
        self._ended = False

    async def prepare(self) -> None:
        async def call(_: str, method: str, path: str, body: Any) -> httpx.Response:
            return (await self._client.request(method, path, json=body)).raise_for_status()

        await self.services.prepare(call)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            for number in range(WRITERS):
                group.create_task(self._write(number))
            for number in range(READERS):
                for address in self._addresses:
                    group.create_task(self._read(number, address))
            yield
            self._ended = True

    async def some_more(self) -> None:
        """Wait until each process has answered the next searches."""
        before = self._searches.copy()
        await until(lambda: all(self._searches[one] >= before[one] + MORE for one in self._addresses))

    async def ask(self, client: httpx.AsyncClient, ask: Ask) -> httpx.Response:
        """Send a request, which must succeed, and record the operation."""
        call = time.monotonic_ns()
        answer = await client.request(ask.method, ask.path, json=ask.body)
        answered = time.monotonic_ns()
        assert answer.is_success, f"{ask.method} {ask.path}: {answer.status_code} {answer.text}"
        members: dict[str, Any] = {
            "actor": ask.actor,
            "method": ask.method,
            "status": answer.status_code,
            "mark": ask.mark,
        }
        told = ask.told(answer)
        self.history.append(Operation(self.services.name, ask.key, 0, call, answered, ask.input, told, **members))
        return answer

    async def _write(self, number: int) -> None:
        chance = random.Random(number)
        keys = self.services.keys[number::WRITERS]
        while not self._ended:
            key = chance.choice(keys)
            answer = await self.ask(self._client, self.services.change(key, chance))
            service_id = self.services.ids[key]
            if answer.status_code == 204:
                self.writes.deleted.add(service_id)
            else:
                self.writes.deleted.discard(service_id)
                self.writes.acknowledge(service_id, answer.json()["version"], answer.json()["nome_servico"])
            await asyncio.sleep(WRITE_PAUSE_SECONDS)

    async def _read(self, number: int, address: str) -> None:
        chance = random.Random(number)
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as client:
            while not self._ended:
                with suppress(httpx.TransportError):  # the process was killed
                    await self.ask(client, *self.services.reads(chance.choice(self.services.keys)))
                    self._searches[address] += 1
                await asyncio.sleep(READ_PAUSE_SECONDS)

    async def check_searches(self) -> None:
        """Check that each process shows the newest state of each service."""
        last = {one.key: one.output for one in self.history if one.is_write}
        for address in self._addresses:
            async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as client:
                for key, stored in last.items():
                    (ask,) = self.services.reads(key)
                    assert stored is not None
                    assert ask.told(await client.get(ask.path))["name"] == stored["name"]


@contextmanager
def processes(settings: Settings, database_url: str, folder: Path) -> Iterator[tuple[Processes, Terminal]]:
    """Start the two processes that search. Return them and the worker's terminal."""
    given = {"database_url": database_url, "data_dir": folder, "auth_issuer": settings.auth_issuer}
    terminals = [Terminal(folder, **given, port=free_port(), panel="false") for _ in range(3)]
    with ExitStack() as stack:
        yield Processes(terminals[:2], stack), terminals[2]


async def test_the_search_follows_a_migration_and_its_rollback_although_the_writers_of_its_index_are_killed(
    settings: Settings, http: httpx.Client, database_url: str, issuer: Issuer, tmp_path: Path
) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        httpx.AsyncClient(base_url=http.base_url, headers=bearer(issuer.admin()), timeout=PATIENCE) as client,
    ):
        await fill(database_url, client, OTHERS)
        with processes(settings, database_url, tmp_path) as (searching, terminal), worker(terminal):
            clients = Clients(client, searching.addresses)
            await clients.prepare()
            async with clients.at_work():
                await clients.some_more()
                started = await client.post(f"{MIGRATION_PATH}/start", json={"schema_version": "v1"})
                assert started.status_code == 200, started.text
                while (run := (await client.get(f"{MIGRATION_PATH}/status")).json())["status"] == "in_progress":  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                assert run["status"] == "completed", run
                await searching.kill_writer()
                await clients.some_more()
                assert (await client.post(f"{MIGRATION_PATH}/rollback")).status_code == 200
                await searching.kill_writer()
                await clients.some_more()
            assert await find_lost(database_url, clients.writes) == []
            await check_index(database_url, IndexFolder(tmp_path, database_url))
            await clients.check_searches()
    lateness = [late for _, late in measure_lateness(clients.history, [clients.services.name])]
    report(f"{len(clients.history) - len(lateness)} writes, {len(lateness)} searches, latest {max(lateness):.2f} s")
    assert list(find_late_reads(clients.history, {clients.services.name: LATEST_SECONDS})) == []


async def check_index(database_url: str, folder: IndexFolder) -> None:
    """Check that the index catches up with the database, and that it has the same entries as a newly built index."""
    owner = await asyncpg.connect(database_url)
    try:
        connection, reader = cast(Connection, owner), IndexReader(folder)
        wanted, alias = await store.read_wanted_state(connection), await read_alias(connection)
        await until(lambda: (index := reader.read()) is not None and index.read_state() == wanted)
        index, new = reader.read(), await index_table(connection, alias)
        assert index is not None
        assert index.count() == await store.count_indexed(connection, alias)
        for filter_value in (EVERY, DRAFT, EXCLUSIVE):
            assert list_entries(index, filter_value) == list_entries(new, filter_value)
    finally:
        await owner.close()


def list_entries(index: ServiceIndex, filter_value: str) -> list[Entry]:
    """Return the entries that have this value as a filter, sorted by id."""
    _, hits = index.search(Query.term_query(index.schema, FILTERS, filter_value), 2 * OTHERS)
    return sorted(index.read_entries([address for _, address in hits]), key=lambda entry: entry.id)
