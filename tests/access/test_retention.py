"""How long the catalogue's audit trail is kept (rules: access 5)."""

import asyncio

from balcao import app
from balcao.core.audit import retention
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from tests.access import stored
from tests.support.fixtures import Sql

RECORD = "SELECT access.record_changes(jsonb_build_array($1::jsonb))"
EVENT = '{"actor": {"sub": "s"}, "operation": "action.update", "target_type": "action", "request_id": "r"}'
DENY = """
INSERT INTO access.audit_event (actor, operation, target_type, outcome, request_id, catalogue_version)
VALUES ('{}', 'action.update', 'action', 'denied', 'r', 1)
"""


async def sweep(platform: Platform) -> tuple[int, int]:
    wanted = [one for one in app.list_retention() if one.kind == "access_audit_event"]
    [report] = await retention.run(operator_call(platform, retention.OPERATION), wanted)
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
