"""The change feed contains every committed change, in commit order (rules: search 2.5)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao.core.errors import BalcaoError, NotFound
from balcao.search.catalogue import service as catalogue
from balcao.search.change_feed import service as change_feed
from balcao.search.services import service as services
from balcao.search.services.schemas import ServiceRollbackBody
from tests.search.staff import Staff
from tests.search.stage import Stage
from tests.search.support import body, migrate, refusal
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size

FEED = "/search/api/v1/catalog/services"
Read = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.usefixtures("empty_catalogue")


@pytest.fixture
def read(http: httpx.Client, issuer: Issuer) -> Read:
    """Read the feed as another system."""

    def run(**query: Any) -> dict[str, Any]:
        answer = http.get(FEED, params=query, headers=bearer(issuer.machine("painel-saude", "catalogo:read")))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return run


def told(page: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["id"], entry["change"]) for entry in page["changes"]]


def test_the_whole_catalogue_comes_first_and_then_only_what_changed(
    read: Read, staff: Staff, http: httpx.Client
) -> None:
    first, second = staff.publish(), staff.publish(agents={"exclusive_for_agents": True})
    draft = staff.create()
    page = read()
    assert told(page) == [(first["id"], "published"), (second["id"], "published")]
    assert page["changes"][0]["service"] == http.get(f"/search/api/v1/search/{first['id']}").json()
    told_first = page["changes"][0]["service"]
    assert (told_first["autor"], "version" in told_first) == ("", False)
    assert page["has_more"] is False
    assert read(after=page["after"]) == {"changes": [], "after": page["after"], "has_more": False}

    staff("PATCH", f"/services/{draft['id']}/publish")
    staff("PATCH", f"/services/{first['id']}/unpublish")
    staff("DELETE", f"/services/{second['id']}")
    later = read(after=page["after"])
    assert told(later) == [(draft["id"], "published"), (first["id"], "removed"), (second["id"], "removed")]
    assert [entry["service"] is None for entry in later["changes"]] == [False, True, True]

    # Changes to a draft never appear, even if the draft was published before.
    staff("POST", f"/services/{second['id']}/rollback", json={"to_version": 1})
    staff("POST", f"/services/{first['id']}/rollback", json={"to_version": 1})
    assert told(read(after=later["after"])) == []
    staff("PATCH", f"/services/{second['id']}/publish")
    assert told(read(after=later["after"])) == [(second["id"], "published")]


def test_a_service_stands_once_where_its_last_change_is(read: Read, staff: Staff) -> None:
    made = [staff.publish() for _ in range(3)]
    before = read(limit=1)
    assert (told(before), before["has_more"]) == ([(made[0]["id"], "published")], True)
    for text in ("um", "dois"):
        staff("PUT", f"/services/{made[1]['id']}", json=made[1] | {"resumo": text})
    rest = read(after=before["after"])
    assert told(rest) == [(made[2]["id"], "published"), (made[1]["id"], "published")]
    assert rest["changes"][1]["service"]["resumo"] == "dois"


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 501}, {"limit": "x"}, {"after": "x"}, {"after": "A" * 24}])
def test_a_limit_or_a_cursor_that_is_none_is_refused(http: httpx.Client, issuer: Issuer, query: dict[str, Any]) -> None:
    code = "limit-invalid" if "limit" in query else "after-invalid"
    answer = http.get(FEED, params=query, headers=bearer(issuer.machine("painel-saude", "catalogo:read")))
    assert (*refusal(answer), list(answer.json())) == (400, code, ["error"])


def test_a_cursor_of_a_later_catalogue_is_refused(
    read: Read, http: httpx.Client, issuer: Issuer, staff: Staff, sql: Sql
) -> None:
    """This happens after a restore of the database. A reader that continued from such a cursor would miss changes."""
    staff.publish()
    after = read()["after"]
    sql("DELETE FROM search.feed_entries")
    answer = http.get(FEED, params={"after": after}, headers=bearer(issuer.machine("painel-saude", "catalogo:read")))
    assert refusal(answer) == (400, "after-invalid")


def test_only_machines_with_the_scope_read(http: httpx.Client, issuer: Issuer) -> None:
    assert http.get(FEED).status_code == 401
    for token in (issuer.machine("painel-saude", "busca:search"), issuer.person("90000000175"), issuer.login()):
        assert http.get(FEED, headers=bearer(token)).status_code == 403


async def test_the_feed_is_the_same_whatever_the_schema_of_the_collection(
    read: Read, staff: Staff, stage: Stage
) -> None:
    staff.publish()
    before = read()
    await asyncio.to_thread(stage.run, migrate(stage.platform, "v1"))
    assert read() == before


@pytest_asyncio.fixture
async def connections(database_url: str) -> AsyncIterator[list[asyncpg.Connection]]:
    made = [await asyncpg.connect(database_url) for _ in range(2)]
    yield made
    for connection in made:
        await connection.close()


APPEND = """
WITH head AS (INSERT INTO search.service_head (id, created_at) VALUES ($1, now()) RETURNING id)
INSERT INTO search.service_versions
    (id, service_id, version_number, created_at, created_by, created_by_sub, change_type, snapshot)
SELECT $1, id, 1, now(), 'x', 'x', 'create', '{"status": 1}' FROM head
"""
POSITIONS = "SELECT service_id::text FROM search.feed_entries ORDER BY position"


async def test_a_change_stands_where_it_was_committed_not_where_it_was_begun(
    connections: list[asyncpg.Connection],
) -> None:
    one, other = connections
    earlier, later = str(uuid4()), str(uuid4())
    async with asyncio.timeout(PATIENCE), one.transaction():
        await one.execute(APPEND, earlier)
        await other.execute(APPEND, later)  # this change commits first
        assert [row["service_id"] for row in await other.fetch(POSITIONS)] == [later]
    assert [row["service_id"] for row in await other.fetch(POSITIONS)] == [later, earlier]


async def test_whoever_commits_waits_for_the_commit_of_the_place_before(connections: list[asyncpg.Connection]) -> None:
    one, other = connections
    first, second = str(uuid4()), str(uuid4())
    async with one.transaction():
        await one.execute(APPEND, first)
        await one.execute("SET CONSTRAINTS ALL IMMEDIATE")  # this gets its position before the commit
        waiting = asyncio.create_task(other.execute(APPEND, second))
        pid = other.get_server_pid()
        async with asyncio.timeout(PATIENCE):
            while not await one.fetchval("SELECT cardinality(pg_blocking_pids($1)) > 0", pid):
                assert not waiting.done()
    await waiting
    assert [row["service_id"] for row in await one.fetch(POSITIONS)] == [first, second]


# Changes to one service. A change that the service's state does not allow is rejected and changes nothing.
DEEDS: dict[str, Callable[[Stage, str], Awaitable[Any]]] = {
    "publish": lambda stage, one: services.publish_service(stage.staff, one),
    "unpublish": lambda stage, one: services.unpublish_service(stage.staff, one),
    "edit": lambda stage, one: services.update_service(stage.staff, one, body(resumo=str(uuid4()))),
    "delete": lambda stage, one: services.delete_service(stage.staff, one),
    "bring back": lambda stage, one: services.roll_back_service(stage.staff, one, ServiceRollbackBody(to_version=1)),
}
SERVICES = 4
WRITER = st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.integers(0, SERVICES - 1)), min_size=1, max_size=8)


@examples(max_examples=size(8, 200))
@given(writers=st.lists(WRITER, min_size=2, max_size=4), limits=st.lists(st.integers(1, 5), min_size=1, max_size=20))
def test_a_copy_that_follows_the_feed_becomes_the_catalogue(
    stage: Stage, writers: list[list[tuple[str, int]]], limits: list[int]
) -> None:
    stage.run(_follow(stage, writers, limits))


async def _follow(stage: Stage, writers: list[list[tuple[str, int]]], limits: list[int]) -> None:
    made = [(await services.create_service(stage.staff, body(nome_servico=f"Serviço {n}"))).id for n in range(SERVICES)]
    copy: dict[str, Any] = {}
    cursor: str | None = None

    async def write(deeds: list[tuple[str, int]]) -> None:
        for deed, place in deeds:
            try:
                await DEEDS[deed](stage, made[place])
            except BalcaoError:
                continue

    async def read(limit: int) -> bool:
        nonlocal cursor
        page = await change_feed.list_changes(
            stage.staff, {"limit": str(limit)} | ({"after": cursor} if cursor else {})
        )
        for entry in page.changes:
            copy[entry.id] = entry.service
        cursor = page.after
        return page.has_more

    async def read_along() -> None:
        for limit in limits:
            await read(limit)

    async with asyncio.TaskGroup() as group:
        group.create_task(read_along())
        for deeds in writers:
            group.create_task(write(deeds))
    while await read(limits[0]):
        continue
    for one in made:
        try:
            published = await catalogue.read_published_service(stage.staff, one)
            assert msgspec.to_builtins(copy.get(one)) == msgspec.to_builtins(published)
        except NotFound:
            assert copy.get(one) is None
