"""Nothing changes if the change or its audit event cannot be written (rules: access 2.1, 5.2)."""

import asyncio
import math
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import httpx
import pytest

from balcao.access.actions import service
from balcao.access.actions.schemas import ActionChange
from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.catalogue.service import write_catalogue
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.database import connections
from balcao.core.database.connection_quota import holder
from tests.access import stored
from tests.access.stored import format_path
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

REFUSE = "CREATE FUNCTION access.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret'; END $$"

MADE = CatalogueEvent("action.create", "action", "1", "De teste")


@contextmanager
def refuse_writes(sql: Sql, event: str, table: str) -> Iterator[None]:
    sql(REFUSE)
    sql(f"CREATE TRIGGER refuse BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION access.refuse()")
    try:
        yield
    finally:
        sql("DROP FUNCTION access.refuse() CASCADE")


def read_state(sql: Sql, action_id: int) -> Any:
    return stored.read_version(sql), stored.read_action(sql, action_id), stored.read_chain(sql)


def test_a_failing_update_is_a_500_that_changes_nothing(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    before = read_state(sql, action_id)
    with refuse_writes(sql, "UPDATE", "access.action"):
        answer = http.put(format_path(action_id), headers=bearer(issuer.admin()), json={"name": stored.make_name()})
    assert (refusal(answer), set(answer.json())) == ((500, "internal"), {"detail"})
    assert "secret" not in answer.text
    assert read_state(sql, action_id) == before


@pytest.mark.cases("access", "48")
def test_without_its_audit_event_no_change_is_made(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    before = read_state(sql, action_id)
    with refuse_writes(sql, "INSERT", "access.audit_event"):
        answer = http.put(format_path(action_id), headers=bearer(issuer.admin()), json={"name": stored.make_name()})
        refused = http.put(format_path(action_id), headers=bearer(issuer.person("90000000175")), json={})
    for one in (answer, refused):
        assert (refusal(one), set(one.json())) == ((503, "audit-unwritable"), {"detail"})
    assert read_state(sql, action_id) == before


def test_the_services_role_can_neither_change_nor_remove_events(sql: Sql) -> None:
    rights = sql(
        "SELECT array_agg(privilege_type::text ORDER BY 1) AS rights FROM information_schema.role_table_grants "
        "WHERE grantee = 'balcao_app' AND table_schema = 'access' AND table_name = 'audit_event'"
    )
    assert rights[0]["rights"] == ["INSERT", "SELECT"]


async def test_an_update_takes_at_most_five_statements(platform: Platform) -> None:
    call = operator_call(platform, "access.test")
    made = await service.create_action(call, stored.make_name(), "De teste")
    await platform.catalogue.stop()  # its reads must not use the observed connection
    # The driver looks up unknown types on their first use, so make an update before the counted one.
    await service.update_action(call, made.action.id, ActionChange(name=stored.make_name()))
    statements: list[str] = []
    async with platform.database.connection() as connection:
        connection.add_query_logger(lambda record: statements.append(record.query))
    await service.update_action(call, made.action.id, ActionChange(name=stored.make_name()))
    inside = statements[statements.index("BEGIN;") + 1 : statements.index("COMMIT;")]
    assert 1 <= len(inside) <= 5


async def test_a_change_is_told_as_made_though_its_caller_has_no_connection_left_to_read_it_with(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is reported as successful even if no connection is free to read it back.

    Another caller gets the connection that wrote the change. An error would wrongly claim that nothing has changed.
    """
    await platform.catalogue.stop()  # it must not load the new version first
    before = platform.catalogue.latest.version
    database, mine = platform.database, holder.set("somebody")
    async with AsyncExitStack() as held:
        async with write_catalogue(operator_call(platform, "access.test"), MADE) as write:
            write.record(MADE)
            for _ in range(database.size // 2 - 1):
                await held.enter_async_context(database.connection())
            in_line = asyncio.create_task(database.acquire("somebody", math.inf))
            await asyncio.sleep(0)  # let the task join the queue
            monkeypatch.setattr(connections, "ACQUIRE_SECONDS", 0.1)
        await database.release(await in_line, "somebody", is_usable=True)
    holder.reset(mine)
    assert write.version == before + 1
    await platform.catalogue.reload()
    assert platform.catalogue.latest.version == write.version
