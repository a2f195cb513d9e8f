"""The snapshot that decisions use, and invalid operations that prevent the start (rules: access 3.6, 4.5)."""

import asyncio
from contextlib import nullcontext
from copy import copy
from typing import Annotated, Any

import asyncpg
import msgspec
import pytest

from balcao.core.access import catalogue
from balcao.core.access.catalogue import Catalogue
from balcao.core.access.rules import Rule, action, public
from balcao.core.access.snapshot import Changes
from balcao.core.context.platform import Platform
from balcao.core.database.listening import Listening
from balcao.core.database.pool import Database
from balcao.core.errors import Unavailable
from balcao.core.feature import Feature
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import InPath
from balcao.core.service import MalformedOperation, Service
from tests.support.polling import PATIENCE, until


async def raise_version(platform: Platform) -> int:
    async with platform.database.connection() as connection:
        version: int = await connection.fetchval("SELECT access.raise_version()")
    return version


async def test_a_change_is_followed_by_its_notice(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "POLL_SECONDS", 3600.0)
    other = Catalogue(platform.database)
    await other.start()
    try:
        version = await raise_version(platform)
        await until(lambda: other.snapshot.version == version)
    finally:
        await other.stop()


async def test_a_lost_notice_is_made_good_by_the_poll(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "POLL_SECONDS", 0.05)
    other = Catalogue(platform.database)
    await other.start()
    try:
        async with platform.database.connection() as connection:
            silent = "UPDATE access.catalogue_version SET version = version + 1 RETURNING version"
            version = await connection.fetchval(silent)
        await until(lambda: other.snapshot.version == version)
    finally:
        await other.stop()


async def test_a_cut_listener_listens_again_and_misses_nothing(
    database_url: str, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "POLL_SECONDS", 3600.0)
    owner = await asyncpg.connect(database_url)
    other = Catalogue(named(platform.database, "cut"))
    await other.start()
    try:
        for _ in range(3):
            await cut(owner, "cut")
            version = await raise_version(platform)
            await until(lambda: other.latest.version == version)  # noqa: B023 - called before the next iteration
    finally:
        await other.stop()
        await owner.close()


def named(database: Database, name: str) -> Database:
    """Return a copy of the pool. The connection with which it listens has this application name."""
    other = copy(database)
    other.listening = Listening(other.listener)
    other.options["server_settings"] |= {"application_name": name}
    return other


async def cut(owner: asyncpg.Connection, name: str) -> None:
    """Terminate the listener's connection as soon as it listens."""
    async with asyncio.timeout(PATIENCE):
        while not await owner.fetchval(  # noqa: ASYNC110 - no event reports that it listens
            "SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE application_name = $1 AND query LIKE 'LISTEN%'",
            name,
        ):
            await asyncio.sleep(0.01)


async def test_an_unconfirmed_snapshot_decides_nothing(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Catalogue(platform.database)
    with pytest.raises(Unavailable):
        _ = fresh.snapshot
    assert "any.operation" not in fresh.latest.bindings
    await fresh.reload()
    assert fresh.snapshot.version > 0
    monkeypatch.setattr(catalogue, "USABLE_SECONDS", -1.0)
    with pytest.raises(Unavailable) as refused:
        _ = fresh.snapshot
    assert (refused.value.code, refused.value.retry_after) == ("stale-snapshot", 5)
    assert fresh.latest.version > 0


async def test_an_older_version_never_comes_back(platform: Platform) -> None:
    """A slow load of an old version must not replace a newer version."""
    other, seen = Catalogue(platform.database), []
    for _ in range(20):
        version = await raise_version(platform)
        await asyncio.gather(*(other.reload() for _ in range(5)), raise_version(platform))
        await other.reload()
        seen.append(other.snapshot.version)
        assert other.snapshot.version >= version
    assert seen == sorted(seen)


async def test_only_what_changed_is_sent_and_only_to_who_knows_less(platform: Platform) -> None:
    await platform.catalogue.reload()
    known = platform.catalogue.snapshot
    async with platform.database.connection() as connection:
        since = "SELECT access.snapshot_since($1, $2)"
        assert await connection.fetchval(since, known.version, known.position) is None
        await connection.execute("UPDATE access.action SET name = 'outro:nome' WHERE code_key = 'pets:read'")
        version = await raise_version(platform)
        sent = msgspec.json.decode(await connection.fetchval(since, known.version, known.position))
    changed = [name for name, items in sent.items() if isinstance(items, dict) and items]
    assert (sent["version"], sent["whole"], changed) == (version, False, ["actions"])
    assert [action["name"] for action in sent["actions"].values()] == ["outro:nome"]


async def test_who_knows_less_than_what_was_kept_reads_the_whole(platform: Platform) -> None:
    await platform.catalogue.reload()
    async with platform.database.connection() as connection:
        await connection.execute("UPDATE access.action SET name = 'pets:read' WHERE code_key = 'pets:read'")
        await raise_version(platform)
        known = "SELECT access.snapshot_since(1, 0)"
        assert msgspec.json.decode(await connection.fetchval(known), type=Changes).whole is False
        await connection.execute("UPDATE access.catalogue_version SET forgotten = 1")
        whole = msgspec.json.decode(await connection.fetchval(known), type=Changes)
    assert whole.whole
    roles = {role.name: role for role in whole.roles.values() if role}
    assert roles["admin"].administrative
    assert "citizen:read" in roles["rmi:atendimento"].actions


IdInPath = Annotated[str, InPath(str, "Id", "1")]


def service(*routes: Any) -> Service:
    return Service("access", "/access", "De teste", "balcao.core", [Feature(routes=list(routes))], {"": DETAIL})


def route(key: str, path: str = "/things", rule: Rule | None = None) -> Any:
    routes = Routes()

    def read(id: IdInPath) -> str:
        return id

    def read_all() -> str:
        return ""

    routes.get(path, key, rule or public(), "De teste")(read if "{" in path else read_all)
    return routes.declared[0]


@pytest.mark.parametrize(
    "routes",
    [
        [route("access.one"), route("access.one", "/others")],
        [route("access.one", "/things/{id}"), route("access.two", "/things/{id}")],
        [route("registry.one")],
        [route("one")],
        [route("access.one", rule=action("nocolon"))],
        [route("access.one", rule=action("things:"))],
        [route("access.one", rule=action("coisas:ação"))],
        [route("access.one", rule=action("a b:c"))],
        [route("access.one", rule=action("a:" + "b" * 99))],
        [route("access.one", rule=action("things:read").testing("nocolon"))],
    ],
)
def test_a_declaration_that_the_catalogue_cannot_hold_stops_the_boot(routes: list[Any]) -> None:
    with pytest.raises(MalformedOperation):
        service(*routes).operations()


@pytest.mark.parametrize(("status", "boots"), [(200, False), (204, True)])
def test_an_operation_that_returns_nothing_says_so_by_its_status(status: int, boots: bool) -> None:
    routes = Routes()

    def delete() -> None: ...

    routes.delete("/things", "access.delete", public(), "De teste", status=status)(delete)
    with nullcontext() if boots else pytest.raises(MalformedOperation, match="204"):
        service(*routes.declared).operations()


def test_a_good_declaration_boots() -> None:
    good = [
        route("access.one", "/things/{id}", action("things:read")),
        route("access.two", "/things/{id}/more"),
    ]
    service(*good).operations()
