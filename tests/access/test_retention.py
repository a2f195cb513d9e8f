"""Automatic deletion of old catalogue data (rules: access 3.6, 5.3)."""

import asyncio
import functools
import re

import pytest

from balcao import app
from balcao.access.documents import service as documents
from balcao.access.users import service as users
from balcao.core.access import catalogue
from balcao.core.access.caller import Caller
from balcao.core.access.catalogue import Catalogue
from balcao.core.access.rules import Decision, Reason
from balcao.core.audit import retention
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.repeating import repeating
from balcao.core.service import describe_operations
from balcao.core.values.cpf import Cpf
from tests.access import stored
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE

RECORD = "SELECT access.record_changes(jsonb_build_array($1::jsonb))"
EVENT = '{"actor": {"sub": "s"}, "operation": "action.update", "target_type": "action", "request_id": "r"}'
DENY = """
INSERT INTO access.audit_event (actor, operation, target_type, outcome, request_id, catalogue_version)
VALUES ('{}', 'action.update', 'action', 'denied', 'r', 1)
"""


async def sweep(platform: Platform, kind: str = "access_audit_event") -> tuple[int, int]:
    wanted = [one for one in app.list_retention() if one.kind == kind]
    [report] = await retention.run_retention(operator_call(platform, retention.OPERATION), wanted)
    return report.checked, report.removed


async def test_denials_go_after_a_year_and_the_beginning_of_the_chain_after_ten(platform: Platform, sql: Sql) -> None:
    def prepare() -> None:
        sql("DELETE FROM access.audit_event")
        for _ in range(4):
            sql(RECORD, EVENT)
        for _ in range(2):
            sql(DENY)
        sql("UPDATE access.audit_event SET at = now() - interval '11 years' WHERE seq <= 2")
        sql("UPDATE access.audit_event SET at = now() - interval '2 years' WHERE seq = 3")
        newest = "(SELECT max(id) FROM access.audit_event)"
        sql(f"UPDATE access.audit_event SET at = now() - interval '13 months' WHERE id = {newest}")

    await asyncio.to_thread(prepare)
    known = (await asyncio.to_thread(stored.read_chain, sql))[1]["hash"]
    assert await sweep(platform) == (6, 3)
    left = await asyncio.to_thread(stored.read_chain, sql)
    assert [event["seq"] for event in left] == [3, 4]
    assert left[0]["prev_hash"] == known
    assert await sweep(platform) == (3, 0)


async def test_the_end_of_the_chain_never_goes(platform: Platform, sql: Sql) -> None:
    await asyncio.to_thread(sql, "UPDATE access.audit_event SET at = now() - interval '20 years'")
    await asyncio.to_thread(sql, RECORD, EVENT)
    await asyncio.to_thread(sql, "UPDATE access.audit_event SET at = now() - interval '20 years'")
    end = (await asyncio.to_thread(stored.read_chain, sql))[-1]
    await sweep(platform)
    await asyncio.to_thread(sql, RECORD, EVENT)
    chain = await asyncio.to_thread(stored.read_chain, sql)
    assert [(event["seq"], event["prev_hash"]) for event in chain] == [
        (end["seq"], end["prev_hash"]),
        (end["seq"] + 1, end["hash"]),
    ]


async def test_the_head_of_the_chain_is_written_to_the_log(
    platform: Platform, sql: Sql, caplog: pytest.LogCaptureFixture
) -> None:
    await asyncio.to_thread(sql, RECORD, EVENT)
    end = (await asyncio.to_thread(stored.read_chain, sql))[-1]
    await sweep(platform)
    (line,) = (line for line in caplog.messages if "access.audit_head" in line)
    assert re.search(rf"\bseq\W+{end['seq']}\b", line)
    assert end["hash"] in line


async def test_who_holds_nothing_and_does_not_come_for_two_years_is_forgotten(platform: Platform, sql: Sql) -> None:
    people = [Cpf.with_stem(f"{stem:09}").digits for stem in range(500_000_001, 500_000_006)]

    def prepare() -> None:
        sql("INSERT INTO access.person (cpf) SELECT unnest($1::text[])", people)
        sql("UPDATE access.person SET seen_at = now() - interval '3 years' WHERE cpf <> $1", people[0])
        sql(
            "INSERT INTO access.membership SELECT g.id, p.id FROM access.grp AS g, access.person AS p WHERE cpf = $1 "
            "LIMIT 1",
            people[1],
        )
        sql("INSERT INTO access.person_role SELECT p.id, r.id FROM access.role AS r, access.person AS p WHERE cpf = $1 "
            "LIMIT 1", people[2])  # fmt: skip

    await asyncio.to_thread(prepare)
    caller = Caller("s", "c", Cpf(people[3]), None, None, frozenset(), frozenset(), 0.0)
    await users.read_own_user(Call(platform, "access.test", "r", Decision(Reason.AUTHENTICATED), caller))
    assert await sweep(platform, "access_person") == (5, 1)
    left = await asyncio.to_thread(sql, "SELECT cpf FROM access.person")
    assert {row["cpf"] for row in left} == set(people[:4])


async def test_a_plan_lives_for_a_quarter_of_an_hour(platform: Platform, sql: Sql) -> None:
    call = operator_call(platform, "access.test")
    old, new = [(await documents.plan_changes(call, b"format: 1", prune=False)).plan_id for _ in range(2)]
    age = "UPDATE access.plan SET created_at = now() - interval '16 minutes' WHERE id = $1"
    await asyncio.to_thread(sql, age, old)
    assert await sweep(platform, "access_plan") == (2, 1)
    assert [row["id"] for row in await asyncio.to_thread(sql, "SELECT id FROM access.plan")] == [new]


async def test_notes_of_changes_go_after_a_day_and_who_needs_them_reads_the_whole(platform: Platform, sql: Sql) -> None:
    late, current = Catalogue(platform.database), Catalogue(platform.database)
    await late.reload()
    rename = "UPDATE access.action SET name = 'outro:nome' WHERE code_key = 'avatars:write'"
    await asyncio.to_thread(sql, rename)
    await asyncio.to_thread(sql, "SELECT access.raise_version()")
    await current.reload()
    await asyncio.to_thread(sql, "UPDATE access.change SET at = now() - interval '25 hours'")
    _, removed = await sweep(platform, "access_change")
    assert removed > 0
    assert await asyncio.to_thread(sql, "SELECT FROM access.change") == []
    await asyncio.to_thread(sql, "SELECT access.raise_version()")
    for one in (late, current):
        await one.reload()
    assert late.latest.actions == current.latest.actions
    assert "outro:nome" in {action.name for action in late.latest.actions.values()}
    assert late.latest.position == current.latest.position


NOTE_LOCKS = (
    "CREATE TABLE public.locked_at_deletion AS SELECT ''::text AS mode WHERE false",
    """
    CREATE FUNCTION public.note_locks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO public.locked_at_deletion
        SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'access.catalogue_version'::regclass;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER note_locks AFTER DELETE ON access.change
        FOR EACH STATEMENT EXECUTE FUNCTION public.note_locks()
    """,
)


async def test_nobody_waits_for_the_catalogue_while_very_many_notes_are_deleted(platform: Platform, sql: Sql) -> None:
    await asyncio.to_thread(sql, "UPDATE access.action SET name = 'outro:nome' WHERE code_key = 'avatars:write'")
    await asyncio.to_thread(sql, "UPDATE access.change SET at = now() - interval '25 hours'")
    for statement in NOTE_LOCKS:
        await asyncio.to_thread(sql, statement)
    try:
        checked, removed = await sweep(platform, "access_change")
        assert checked == removed > 0
        assert await asyncio.to_thread(sql, "SELECT mode FROM public.locked_at_deletion") == []
    finally:
        await asyncio.to_thread(sql, "DROP FUNCTION public.note_locks CASCADE")
        await asyncio.to_thread(sql, "DROP TABLE public.locked_at_deletion")
    (forgotten,) = await asyncio.to_thread(sql, "SELECT forgotten > 0 AS is_noted FROM access.catalogue_version")
    assert forgotten["is_noted"]


async def test_what_no_process_serves_for_a_day_is_retired_and_goes_ninety_days_later(
    platform: Platform, sql: Sql
) -> None:
    service = app.choose_services(["access"])[0]
    operations = describe_operations(service)
    async with platform.database.transaction() as connection:
        await catalogue.announce_operations(connection, operations)
    everything = "UPDATE access.endpoint_mapping SET announced_at = now() - interval '25 hours'"
    await asyncio.to_thread(sql, everything)
    assert await sweep(platform, "access_mapping") == (0, 0)  # a suspended machine announced nothing
    await platform.catalogue.reload()
    assert platform.catalogue.latest.match("GET", "/access/api/v1/users/me")
    served = [one.operation for one in operations if one.operation != "access.read_own_user"]
    async with platform.database.connection() as connection:
        await connection.execute("SELECT access.still_served($1)", served)
    before = (await asyncio.to_thread(stored.read_chain, sql))[-1]
    assert await sweep(platform, "access_mapping") == (1, 0)
    event = (await asyncio.to_thread(stored.read_chain, sql))[-1]
    assert event["actor"] == {"sub": "system", "azp": "", "cpf": None, "display_name": "system"}
    assert (event["operation"], event["target_type"], event["target_id"], event["target_name"], event["subject"]) == (
        "registration.sync", "mapping", None, None, None,
    )  # fmt: skip
    assert [mapping["operation"] for mapping in event["before"]] == ["access.read_own_user"]
    assert event["after"] == {"operations": [], "retired": ["access.read_own_user"]}
    assert event["request_id"]
    assert event["catalogue_version"] == before["catalogue_version"] + 1
    await platform.catalogue.reload()
    matched = platform.catalogue.latest.match("GET", "/access/api/v1/users/me")
    assert matched is not None
    assert matched.mapping.operation == "access.read_user"
    aged = "UPDATE access.endpoint_mapping SET retired_at = now() - interval '91 days' WHERE retired_at IS NOT NULL"
    await asyncio.to_thread(sql, aged)
    assert await sweep(platform, "access_mapping") == (1, 1)


async def test_a_process_says_again_and_again_what_it_serves(platform: Platform) -> None:
    operations = describe_operations(app.choose_services(["access"])[0])
    async with platform.database.transaction() as connection:
        await catalogue.announce_operations(connection, operations)
        await connection.execute("UPDATE access.endpoint_mapping SET announced_at = now() - interval '2 hours'")
    announce_again = functools.partial(catalogue.confirm_operations, platform.database, operations)
    async with (
        repeating(announce_again, 0.01),
        platform.database.connection() as connection,
        asyncio.timeout(PATIENCE),
    ):
        while await connection.fetchval(  # noqa: ASYNC110 - no event reports the announcement
            "SELECT bool_or(announced_at < now() - interval '1 hour') FROM access.endpoint_mapping"
        ):
            await asyncio.sleep(0.01)
