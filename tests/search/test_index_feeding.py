"""A host's search index follows the catalogue, even after crashes and lost messages (rules: search 4.6, index)."""

import asyncio
import contextlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import msgspec
import pytest

from balcao.core.context.platform import Platform, assemble
from balcao.core.errors import Unavailable
from balcao.search.index import building, feeding
from balcao.search.index.folder import IndexFolder
from balcao.search.index.public_index import PublicIndex
from balcao.search.index.reader import ServiceIndex
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.services import service as services
from balcao.settings import Settings
from tests.search.judged import list_targets
from tests.search.support import act_as_staff, body
from tests.support.open_platform import opened
from tests.support.polling import PATIENCE, until
from tests.support.proof_sizes import size

WRITER = """
import sys, itertools, msgspec
from pathlib import Path
from balcao.search.index.reader import IndexState
from balcao.search.index.store import ChangedRow, IndexRow
from balcao.search.index.writer import IndexWriter

writer = IndexWriter(Path(sys.argv[1]))
document = msgspec.json.decode(sys.argv[2])
for position in itertools.count(1):
    document["id"] = f"00000000-0000-4000-8000-{position:012}"
    row = IndexRow(document["id"], msgspec.json.encode(document).decode(), 0.0, [])
    writer.apply([ChangedRow(position, row.id, row)], IndexState(position, "", 1, ""))
    print(position, flush=True)
"""


@asynccontextmanager
async def processes(settings: Settings, database_url: str, count: int = 2) -> AsyncIterator[list[Platform]]:
    """Open platforms that share a data folder, like the processes of one host."""
    async with contextlib.AsyncExitStack() as stack:
        platforms = [assemble(settings, database_url) for _ in range(count)]
        for platform in platforms:
            await stack.enter_async_context(opened(platform))
        yield platforms


async def search(platform: Platform, word: str) -> list[str]:
    """Return the names of the services that a process finds."""
    index = await platform.part(PublicIndex).read()
    found = await public_search.search_services(act_as_staff(platform), index, SearchRequest(q=word))
    return [each.service.nome_servico for each in found.services]


async def until_found(platform: Platform, word: str, names: list[str]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(Unavailable):  # the first index does not exist yet
                if await search(platform, word) == names:
                    return
            await asyncio.sleep(0.01)


async def publish(platform: Platform, name: str) -> str:
    return (await services.create_service(act_as_staff(platform), body(nome_servico=name, status=1))).id


def can_claim(folder: IndexFolder) -> bool:
    with folder.claim() as is_writer:
        return is_writer


def make_word() -> str:
    return f"zimbro{uuid4().hex[:8]}"


async def test_a_change_is_found_in_every_process(settings: Settings, database_url: str) -> None:
    async with processes(settings, database_url) as platforms:
        word = make_word()
        service_id = await publish(platforms[0], f"Colheita de {word}")
        for platform in platforms:
            await until_found(platform, word, [f"Colheita de {word}"])
        staff = act_as_staff(platforms[1])
        await services.update_service(staff, service_id, body(nome_servico=f"Corte de {word}", status=1))
        for platform in platforms:
            await until_found(platform, word, [f"Corte de {word}"])
        await services.delete_service(staff, service_id)
        for platform in platforms:
            await until_found(platform, word, [])


async def test_only_one_process_of_a_host_writes(settings: Settings, database_url: str) -> None:
    async with processes(settings, database_url) as platforms:
        for platform in platforms:
            await platform.part(PublicIndex).read()
        await until(lambda: not can_claim(IndexFolder(settings.data_dir, database_url)))


async def test_another_process_takes_over_from_a_writer_that_ended(settings: Settings, database_url: str) -> None:
    word = make_word()
    async with processes(settings, database_url, 1) as (survivor,):
        async with processes(settings, database_url, 1) as (writer,):
            await until_found(writer, word, [])
            await until_found(survivor, word, [])
        await publish(survivor, f"Colheita de {word}")
        await until_found(survivor, word, [f"Colheita de {word}"])


async def test_a_lost_notification_costs_at_most_one_comparison(
    settings: Settings, database_url: str, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "COMPARE_SECONDS", 0.2)
    async with processes(settings, database_url, 1) as (platform,):
        word = make_word()
        service_id = await publish(platform, f"Colheita de {word}")
        await until_found(platform, word, [f"Colheita de {word}"])
        physical = await owner.fetchval("SELECT physical FROM search.search_collection")
        # This session itself writes the row about the change, and sends no notification.
        async with owner.transaction():
            await owner.execute(
                f"UPDATE search.{physical} SET doc = jsonb_set(doc, '{{nome_servico}}', $1) WHERE id = $2",
                msgspec.json.encode(f"Corte de {word}").decode(),
                service_id,
            )
            await owner.execute(
                "UPDATE search.index_changes SET position = nextval('search.index_position') WHERE service_id = $1",
                service_id,
            )
        await until_found(platform, word, [f"Corte de {word}"])


async def test_a_service_that_no_change_told_of_is_found_by_counting(
    settings: Settings, database_url: str, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "COMPARE_SECONDS", 0.2)
    async with processes(settings, database_url, 1) as (platform,):
        word = make_word()
        service_id = await publish(platform, f"Colheita de {word}")
        await until_found(platform, word, [f"Colheita de {word}"])
        physical = await owner.fetchval("SELECT physical FROM search.search_collection")
        await owner.execute(f"DELETE FROM search.{physical} WHERE id = $1", service_id)
        await until_found(platform, word, [])


async def test_a_database_that_was_restored_to_an_earlier_state_is_indexed_again(
    settings: Settings, database_url: str, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "COMPARE_SECONDS", 0.2)
    async with processes(settings, database_url, 1) as (platform,):
        word = make_word()
        service_id = await publish(platform, f"Colheita de {word}")
        await until_found(platform, word, [f"Colheita de {word}"])
        physical = await owner.fetchval("SELECT physical FROM search.search_collection")
        async with owner.transaction():
            await owner.execute(f"DELETE FROM search.{physical} WHERE id = $1", service_id)
            await owner.execute("DELETE FROM search.index_changes WHERE service_id = $1", service_id)
        await until_found(platform, word, [])


async def test_a_new_ranking_is_in_every_index(
    settings: Settings, database_url: str, owner: asyncpg.Connection
) -> None:
    async with processes(settings, database_url, 1) as (platform,):
        word = make_word()
        first, second = [await publish(platform, f"Colheita de {word} {number}") for number in range(2)]
        await owner.execute(
            "INSERT INTO search.service_popularity (service_id, weight, recent, percentile) VALUES ($1, 1, 1, 1)",
            second,
        )
        await owner.execute("UPDATE search.search_collection SET ranked_at = now()")
        await until_found(platform, word, [f"Colheita de {word} {number}" for number in (1, 0)])
        assert first != second


@pytest.mark.long
async def test_a_large_catalogue_is_indexed_by_a_process_of_its_own(
    settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "ROWS", 2)
    async with processes(settings, database_url, 1) as (platform,):
        for number in range(5):
            await publish(platform, f"Serviço grande {number}")
        states = []
        for most in (10**6, 0):
            monkeypatch.setattr(building, "MOST_IN_THREAD", most)
            folder = tmp_path / str(most)
            folder.mkdir()
            states.append((await building.build(platform.database, folder), ServiceIndex.open(folder).count()))
        assert states[0] == states[1]
        assert states[0][1] >= 5


async def test_an_index_that_was_damaged_is_built_again(settings: Settings, database_url: str) -> None:
    word = make_word()
    async with processes(settings, database_url, 1) as (platform,):
        await publish(platform, f"Colheita de {word}")
        await until_found(platform, word, [f"Colheita de {word}"])
    folder = IndexFolder(settings.data_dir, database_url)
    current = folder.find_current()
    assert current is not None
    (current / "meta.json").write_text("{")
    async with processes(settings, database_url, 1) as (platform,):
        await until_found(platform, word, [f"Colheita de {word}"])


async def test_a_process_that_stops_while_it_publishes_an_index_leaves_that_index(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = threading.Event()

    def publish_slowly(folder: IndexFolder, generation: Path) -> None:
        publish_generation(folder, generation)
        published.set()
        time.sleep(0.2)  # the process stops during this pause

    publish_generation = IndexFolder.publish
    monkeypatch.setattr(IndexFolder, "publish", publish_slowly)
    settings = Settings(data_dir=tmp_path)
    async with processes(settings, database_url, 1) as (platform,):
        assert not platform.part(PublicIndex).is_ready
        await until(published.is_set)
    current = IndexFolder(tmp_path, database_url).find_current()
    assert current is not None
    assert ServiceIndex.open(current).read_state().position >= 0


async def test_an_index_that_someone_deleted_is_built_again(database_url: str, tmp_path: Path) -> None:
    async with processes(Settings(data_dir=tmp_path), database_url, 1) as (platform,):
        await platform.part(PublicIndex).read()
    for folder in IndexFolder(tmp_path, database_url).path.glob("*/"):
        shutil.rmtree(folder)
    async with processes(Settings(data_dir=tmp_path), database_url, 1) as (platform,):
        await until_found(platform, make_word(), [])


def test_an_address_with_several_servers_has_one_folder_whatever_its_password(tmp_path: Path) -> None:
    first, second, other = (
        IndexFolder(tmp_path, f"postgresql://balcao:{password}@one:5432,two:5432/{name}").path
        for password, name in (("a", "city"), ("b", "city"), ("a", "town"))
    )
    assert first == second != other


@pytest.mark.long
def test_a_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    """After `kill -9`, the index contains every acknowledged change, and the next writer continues."""
    text = msgspec.json.encode(list_targets()[0]).decode()
    for _ in range(size(3, 30)):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), text], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            acknowledged = [int(process.stdout.readline()) for _ in range(5)]
            process.send_signal(signal.SIGKILL)
            acknowledged += [int(line) for line in process.stdout.read().splitlines() if line.isdigit()]
        index = ServiceIndex.open(tmp_path)
        assert index.read_state().position >= acknowledged[-1]
        assert index.count() >= acknowledged[-1]
