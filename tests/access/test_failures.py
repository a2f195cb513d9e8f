"""When the change or its event cannot be written, nothing is changed (rules: access 2.1, 5.2, case 48)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from balcao.access.actions import service
from balcao.access.actions.schemas import ActionChange
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from tests.access import looks
from tests.access.looks import path
from tests.support.fixtures import Sql
from tests.support.issuer import Issuer, bearer

REFUSE = "CREATE FUNCTION access.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret'; END $$"


@contextmanager
def refusing(sql: Sql, event: str, table: str) -> Iterator[None]:
    sql(REFUSE)
    sql(f"CREATE TRIGGER refuse BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION access.refuse()")
    try:
        yield
    finally:
        sql("DROP FUNCTION access.refuse() CASCADE")


def stored(sql: Sql, action_id: int) -> Any:
    return looks.version(sql), looks.action(sql, action_id), looks.chain(sql)


def test_a_failing_update_is_a_500_that_changes_nothing(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    action_id = looks.new_action(sql)
    before = stored(sql, action_id)
    with refusing(sql, "UPDATE", "access.action"):
        answer = http.put(path(action_id), headers=bearer(issuer.admin()), json={"name": looks.new_name()})
    assert (answer.status_code, set(answer.json())) == (500, {"detail"})
    assert "secret" not in answer.text
    assert stored(sql, action_id) == before


def test_without_its_audit_event_no_change_is_made(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    action_id = looks.new_action(sql)
    before = stored(sql, action_id)
    with refusing(sql, "INSERT", "access.audit_event"):
        answer = http.put(path(action_id), headers=bearer(issuer.admin()), json={"name": looks.new_name()})
        refused = http.put(path(action_id), headers=bearer(issuer.person("90000000175")), json={})
    assert (answer.status_code, set(answer.json())) == (503, {"detail"})
    assert (refused.status_code, set(refused.json())) == (503, {"detail"})
    assert stored(sql, action_id) == before


def test_the_services_role_can_neither_change_nor_remove_events(sql: Sql) -> None:
    rights = sql(
        "SELECT array_agg(privilege_type::text ORDER BY 1) AS rights FROM information_schema.role_table_grants "
        "WHERE grantee = 'balcao_app' AND table_schema = 'access' AND table_name = 'audit_event'"
    )
    assert rights[0]["rights"] == ["INSERT", "SELECT"]


async def test_an_update_takes_at_most_five_statements(platform: Platform) -> None:
    call = operator_call(platform, "access.test")
    made = await service.create_action(call, looks.new_name(), "De teste")
    statements: list[str] = []
    async with platform.database.connection() as connection:
        connection.add_query_logger(lambda record: statements.append(record.query))
    await service.update_action(call, made.action.id, ActionChange(name=looks.new_name()))
    inside = statements[statements.index("BEGIN;") + 1 : statements.index("COMMIT;")]
    assert 1 <= len(inside) <= 5
