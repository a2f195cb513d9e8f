"""Readers and writers while services change and schema migrations run (rules: search 4.4, 4.5, 5)."""

import asyncio
import functools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao import app
from balcao.search.public_search import service as public_search
from balcao.search.public_search import state
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import RollbackBody
from balcao.search.services import service as services
from balcao.settings import Settings
from tests.search.freshness import Freshness
from tests.search.staff import Staff
from tests.search.stage import Stage
from tests.search.support import body, migrate
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until, until_now
from tests.support.proof_sizes import size
from tests.support.server import RunningServer

V1 = "/search/api/v1/search"
MACHINE = "catalogo:read"


@pytest.fixture(scope="module")
def processes(settings: Settings, database_url: str) -> Iterator[list[httpx.Client]]:
    """Yield clients of two processes that notice changes only through notifications.

    Their timers are too slow to notice a change.
    """
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(public_search, "COMPARE_SECONDS", 2 * PATIENCE)
        patch.setattr(state, "RESPONSE_SECONDS", 2 * PATIENCE)
        servers = [stack.enter_context(RunningServer(app.build_application(settings, database_url))) for _ in range(2)]
        yield [stack.enter_context(httpx.Client(base_url=server.url, timeout=PATIENCE)) for server in servers]


def test_every_process_drops_its_answers_when_a_published_service_changes(
    processes: list[httpx.Client], issuer: Issuer
) -> None:
    staff = Staff(processes[0], issuer)
    word = f"junco{uuid4().hex[:6]}"

    made = staff.publish(nome_servico=f"Colheita de {word}")
    path = f"/services/{made['id']}"
    kept_everywhere(processes, word, [f"Colheita de {word}"])
    staff("PUT", path, json=made | {"nome_servico": f"Corte de {word}"})
    kept_everywhere(processes, word, [f"Corte de {word}"])
    staff("POST", f"{path}/rollback", json={"to_version": 1})
    kept_everywhere(processes, word, [f"Colheita de {word}"])
    staff("PATCH", f"{path}/unpublish")
    kept_everywhere(processes, word, [])


def kept_everywhere(processes: list[httpx.Client], word: str, names: list[str]) -> None:
    """Wait until every process returns these names from its cache."""

    def is_kept(client: httpx.Client) -> bool:
        first, second = (client.get(V1, params={"q": word}) for _ in range(2))
        # If two bodies are equal, they come from the cache, because a body contains the duration of its search.
        is_one = first.content == second.content
        return is_one and [hit["title"] for hit in second.json()["results"]] == names

    for client in processes:
        until_now(functools.partial(is_kept, client))


@pytest.mark.long
def test_readers_notice_no_switch_and_no_rollback(
    http: httpx.Client, issuer: Issuer, staff: Staff, stage: Stage, freshness: Freshness, sql: Sql
) -> None:
    mark = f"vime{uuid4().hex[:6]}"
    made = [staff.publish(nome_servico=f"Cesto de {mark} {number}", tema_geral=mark) for number in range(3)]
    freshness.wait(sql)
    ids = sorted(one["id"] for one in made)
    ended = False

    def search(client: httpx.Client, turn: int) -> list[str]:
        # Use a different page size each time, so that no response comes from the cache.
        found = client.get(V1, params={"q": mark, "per_page": 3 + turn % 90, "facets": "tema_geral"})
        assert found.status_code == 200, found.text
        assert found.json()["facets"] == {"tema_geral": [{"value": mark, "count": 3}]}
        return [hit["id"] for hit in found.json()["results"]]

    def browse(client: httpx.Client, _: int) -> list[str]:
        found = client.get("/search/api/v1/categories", params={"filter_category": mark})
        assert found.status_code == 200, found.text
        return [one["id"] for one in found.json()["filtered_category"]["services"]]

    def read(client: httpx.Client, _: int) -> list[str]:
        return [client.get(f"/search/api/v1/services/{one['slug']}").json()["id"] for one in made]

    def follow(client: httpx.Client, _: int) -> list[str]:
        headers = bearer(issuer.machine("painel-saude", MACHINE))
        found = client.get("/search/api/v1/catalog/services", params={"limit": 500}, headers=headers).json()["changes"]
        return [one["id"] for one in found if one["service"] and one["service"]["tema_geral"] == mark]

    def keep_on(look: Any) -> int:
        turns = 0
        with httpx.Client(base_url=http.base_url, timeout=PATIENCE) as client:
            while not ended or turns == 0:
                assert sorted(look(client, turns)) == ids
                turns += 1
        return turns

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(keep_on, look) for look in (search, browse, read, follow)]
        try:
            for version in ("v1", "v2"):
                assert stage.run(migrate(stage.platform, version)).status == "completed"
            stage.run(migrations.roll_back_migration(stage.staff, RollbackBody()))
            assert stage.run(migrate(stage.platform, "v3")).status == "completed"
        finally:
            ended = True
        assert all(reader.result() > 0 for reader in readers)


async def _write_on(stage: Stage, writers: int, turns: int) -> list[tuple[str, int]]:
    """Let writers change services as fast as possible during a migration and its rollback.

    Return each service's last written name and version.
    """
    made = [await services.create_service(stage.staff, body()) for _ in range(writers)]
    written = dict.fromkeys(range(writers), 0)
    ended = False

    async def write(number: int) -> None:
        while not ended:
            name = f"Escrita {number}.{written[number] + 1}"
            await services.update_service(stage.staff, made[number].id, body(nome_servico=name))
            written[number] += 1

    async def some_more() -> None:
        before = dict(written)
        await until(lambda: all(written[number] >= before[number] + turns for number in written))

    async with asyncio.TaskGroup() as group:
        for number in range(writers):
            group.create_task(write(number))
        await some_more()
        assert (await migrate(stage.platform, "v1")).status == "completed"
        await some_more()
        await migrations.roll_back_migration(stage.staff, RollbackBody())
        await some_more()
        ended = True
    return [(f"Escrita {number}.{written[number]}", written[number] + 1) for number in range(writers)]


@pytest.mark.cases("search", "58")
def test_writers_through_a_migration_and_a_rollback_lose_nothing(stage: Stage, empty_catalogue: None) -> None:
    acknowledged = stage.run(_write_on(stage, size(5, 12), size(2, 200)))
    physical, mirror = stage.run(stage.owner.fetchrow("SELECT physical, mirror FROM search.search_collection"))
    for table in (physical, mirror):
        rows = stage.run(stage.owner.fetch(f"SELECT doc ->> 'nome_servico' AS name, version FROM search.{table}"))
        assert sorted(tuple(row) for row in rows) == sorted(acknowledged)
    differing = "SELECT differing FROM search.compare_chunk($1, $2, NULL, NULL)"
    assert stage.run(stage.owner.fetchval(differing, physical, mirror)) == []
    assert stage.run(stage.owner.fetch("SELECT * FROM search.search_migration_errors")) == []
