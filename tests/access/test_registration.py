"""Announcement of operations when a process starts (rules: access 3.6)."""

import asyncio
from dataclasses import replace

import pytest

from balcao import app
from balcao.core.access import catalogue
from balcao.core.access.catalogue import AnnouncedOperation
from balcao.core.context.platform import Platform, assemble
from balcao.settings import Settings
from tests.access import stored
from tests.support.fixture_types import Sql

COUNTER = iter(range(1_000_000))


def operation(**members: str) -> AnnouncedOperation:
    """Return a new operation for one test."""
    number = next(COUNTER)
    made = AnnouncedOperation(
        operation=f"access.test_{number}",
        service="access",
        method="GET",
        path_pattern=f"/access/test/{number}/{{id}}",
        action="action:read",
        guard=None,
        floor="action",
        description="Operação de teste",
    )
    return replace(made, **members)  # type: ignore[arg-type]


async def announce(platform: Platform, *operations: AnnouncedOperation) -> catalogue.Announced:
    async with platform.database.transaction() as connection:
        return await catalogue.announce_operations(connection, operations)


async def mapping(platform: Platform, key: str) -> tuple[int, str, str, str | None, bool]:
    """Return a mapping's id, method and path, the code key of its action, and whether the mapping is retired."""
    async with platform.database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT m.id, method, path_pattern, code_key, retired_at IS NOT NULL AS retired "
            "FROM access.endpoint_mapping AS m JOIN access.action ON action.id = action_id WHERE operation_key = $1",
            key,
        )
    assert row is not None
    return tuple(row)


async def execute(platform: Platform, statement: str, *args: object) -> None:
    async with platform.database.connection() as connection:
        await connection.execute(statement, *args)


async def rebind(platform: Platform, key: str, action: str) -> None:
    await execute(
        platform,
        "UPDATE access.endpoint_mapping SET action_id = (SELECT id FROM access.action WHERE code_key = $2) "
        "WHERE operation_key = $1",
        key,
        action,
    )


async def test_a_new_operation_is_bound_to_its_declared_action(platform: Platform) -> None:
    new = operation()
    before = platform.catalogue.snapshot.version
    assert (await announce(platform, new)).version > before
    await platform.catalogue.reload()
    assert platform.catalogue.snapshot.bindings[new.operation] == "action:read"


async def test_a_new_code_key_makes_a_shipped_action(platform: Platform) -> None:
    new = operation(action="novelty:read")
    await announce(platform, new)
    assert (await mapping(platform, new.operation))[3] == "novelty:read"


async def test_a_custom_action_of_that_name_keeps_it(platform: Platform) -> None:
    await execute(
        platform, "INSERT INTO access.action (name, description, origin) VALUES ('mine:read', 'Da cidade', 'custom')"
    )
    new = operation(action="mine:read")
    assert (await announce(platform, new)).warnings == [{"code": "name_taken", "operation": new.operation}]
    async with platform.database.connection() as connection:
        assert await connection.fetchval("SELECT name FROM access.action WHERE code_key = 'mine:read'") == "mine:read_2"


async def test_a_known_operation_is_only_seen_again(platform: Platform) -> None:
    new = operation()
    first = await announce(platform, new)
    known = await mapping(platform, new.operation)
    second = await announce(platform, new)
    assert (second.version, await mapping(platform, new.operation)) == (first.version, known)


async def test_a_moved_operation_keeps_its_row_and_its_rebinding(platform: Platform) -> None:
    new = operation()
    await announce(platform, new)
    await rebind(platform, new.operation, "group:read")
    known = await mapping(platform, new.operation)
    await announce(platform, replace(new, method="POST", path_pattern=f"{new.path_pattern}/moved"))
    assert await mapping(platform, new.operation) == (
        known[0],
        "POST",
        f"{new.path_pattern}/moved",
        "group:read",
        False,
    )


async def test_a_release_changes_the_binding_unless_an_administrator_had_changed_it(platform: Platform) -> None:
    plain, rebound = operation(), operation()
    await announce(platform, plain, rebound)
    await rebind(platform, rebound.operation, "group:read")
    newer = [replace(one, action="role:read") for one in (plain, rebound)]
    told = await announce(platform, *newer)
    assert [(await mapping(platform, one.operation))[3] for one in newer] == ["role:read", "group:read"]
    assert told.warnings == [{"code": "rebinding_kept", "operation": rebound.operation}]
    assert (await announce(platform, *newer)).warnings == []


async def test_a_rebinding_never_undercuts_the_floor_of_a_newer_release(platform: Platform) -> None:
    once_public = operation(action="platform:authenticated", floor="public")
    await announce(platform, once_public)
    await rebind(platform, once_public.operation, "platform:public")
    await announce(platform, replace(once_public, action="action:read", floor="action"))
    assert (await mapping(platform, once_public.operation))[3] == "action:read"


async def test_a_rebinding_of_an_operation_that_is_fixed_now_is_taken_back(platform: Platform) -> None:
    once_free = operation(action="platform:authenticated", floor="authenticated")
    await announce(platform, once_free)
    await rebind(platform, once_free.operation, "group:read")
    await announce(platform, replace(once_free, floor="fixed"))
    assert (await mapping(platform, once_free.operation))[3] == "platform:authenticated"


async def test_a_custom_mapping_gives_way_to_an_operation_of_its_shape(platform: Platform) -> None:
    new = operation()
    await execute(
        platform,
        "INSERT INTO access.endpoint_mapping (method, path_pattern, action_id) "
        "SELECT 'GET', $1, id FROM access.action WHERE code_key = 'action:read'",
        new.path_pattern.replace("{id}", "*"),
    )
    told = await announce(platform, new)
    assert told.warnings == [{"code": "custom_retired", "operation": new.operation}]
    assert (await mapping(platform, new.operation))[4] is False


async def test_two_operations_may_change_places(platform: Platform) -> None:
    one, two = operation(), operation()
    await announce(platform, one, two)
    crossed = [replace(one, path_pattern=two.path_pattern), replace(two, path_pattern=one.path_pattern)]
    await announce(platform, *crossed)
    found = [await mapping(platform, key) for key in (one.operation, two.operation)]
    assert [(row[2], row[4]) for row in found] == [(two.path_pattern, False), (one.path_pattern, False)]


async def test_an_operation_with_a_new_key_takes_the_place_of_the_old_one(platform: Platform) -> None:
    old = operation()
    await announce(platform, old)
    new = replace(old, operation=f"{old.operation}_renamed")
    await announce(platform, new)
    assert [(await mapping(platform, one.operation))[4] for one in (old, new)] == [True, False]


@pytest.mark.cases("access", "2")
async def test_processes_that_announce_at_once_make_every_row_once(settings: Settings, database_url: str) -> None:
    operations = [operation() for _ in range(50)]
    platforms = [assemble(settings, database_url) for _ in range(4)]
    for platform in platforms:
        await platform.database.open()
    try:
        told = await asyncio.gather(*(announce(platform, *operations) for platform in platforms))
        assert len({one.version for one in told}) == 1
        keys = [one.operation for one in operations]
        async with platforms[0].database.connection() as connection:
            count = "SELECT count(*) FROM access.endpoint_mapping WHERE operation_key = ANY($1)"
            assert await connection.fetchval(count, keys) == 50
    finally:
        for platform in platforms:
            await platform.database.close()


@pytest.mark.cases("access", "1")
@pytest.mark.usefixtures("server")
def test_after_the_first_start_every_mapping_counts(sql: Sql) -> None:
    counts = sql(
        "SELECT count(*) FILTER (WHERE retired_at IS NULL) AS all, count(DISTINCT operation_key) AS keys "
        "FROM access.endpoint_mapping"
    )
    assert counts[0]["keys"] > 20
    unbound = sql(
        "SELECT operation_key FROM access.endpoint_mapping AS m JOIN access.action ON action.id = action_id "
        "WHERE retired_at IS NULL AND service IS NOT NULL AND code_key IS DISTINCT FROM declared_action "
        "AND operation_key NOT LIKE 'access.test_%'"
    )
    assert unbound == []
    stored.verify(stored.read_chain(sql))


@pytest.mark.cases("access", "2")
def test_a_second_start_adds_no_row_and_no_version(
    settings: Settings, database_url: str, server: object, sql: Sql
) -> None:
    rows = "SELECT id, operation_key, method, path_pattern, action_id FROM access.endpoint_mapping ORDER BY id"
    before = stored.read_version(sql), sql(rows), stored.read_chain(sql)

    async def start() -> None:
        async with app.build_application(settings, database_url).open():
            return

    asyncio.run(start())
    assert (stored.read_version(sql), sql(rows), stored.read_chain(sql)) == before


@pytest.mark.cases("access", "15")
def test_a_restart_after_a_rename_brings_no_second_action(
    settings: Settings, database_url: str, server: object, sql: Sql
) -> None:
    identity = stored.find_action_id(sql, "preferences:read")
    sql("UPDATE access.action SET name = 'preferences:see' WHERE id = $1", identity)
    app.migrate_now(database_url)

    async def start() -> None:
        async with app.build_application(settings, database_url).open():
            return

    asyncio.run(start())
    assert stored.read_action(sql, identity)[0] == "preferences:see"
    assert sql("SELECT FROM access.action WHERE name = 'preferences:read'") == []
