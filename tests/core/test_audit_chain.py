"""The hash chain of the audit events (rules: registry 3.7).

SQL computes the hashes and the platform verifies them. These tests verify them with independent code.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from balcao.core.audit import chain as audit_chain
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from tests.support import demo_people

Sql = Callable[..., list[asyncpg.Record]]
ANA = Cpf(demo_people.ANA)
REASONS = ["Atendimento nº 7", 'aspas " e \\ barra', "\x01\x1f\x7f\t\n\b\f\r", "\u2028 𝄞 ção", "", None]


@pytest.fixture(autouse=True)
def empty(sql: Sql) -> None:
    sql("DELETE FROM platform.audit_event")
    sql("DELETE FROM platform.audit_dropped")
    sql("UPDATE platform.audit_chain SET seq = 0, hash = decode(repeat('00', 32), 'hex'), kept_from = 1")


async def record(platform: Platform, *reasons: str | None) -> None:
    for reason in reasons:
        call = operator_call(platform, "test.chain")
        if reason is not None:
            call.state_reason(reason)
        async with platform.database.transaction() as connection:
            await platform.audit.record(connection, call, "read", subject=ANA, fields=["email", "raça"])


async def verdict(platform: Platform, known: tuple[int, str] | None = None) -> audit_chain.Verdict:
    async with platform.database.transaction(isolation="repeatable_read") as connection:
        return await audit_chain.verify_chain(connection, known)


MEMBERS = (
    "seq id at request_id operation action subject_hash subject actor_kind actor_hash key_number client grant fields "
    "reason outcome"
).split()


def written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, (int, list)) else str(value)


def follow(sql: Sql) -> bytes:
    """Verify every link, and return the last event's hash."""
    before = bytes(32)
    for number, event in enumerate(sql("SELECT * FROM platform.audit_event ORDER BY seq"), start=1):
        content = json.dumps([written(event[name]) for name in MEMBERS], ensure_ascii=False)
        assert (event["seq"], event["prev_hash"]) == (number, before)
        before = hashlib.sha256(before + content.encode()).digest()
        assert event["hash"] == before
    return before


async def aio(call: Callable[..., Any], *args: Any) -> Any:
    return await asyncio.to_thread(call, *args)


async def test_whatever_an_event_holds_the_chain_verifies(platform: Platform, sql: Sql) -> None:
    await record(platform, *REASONS)
    assert (await verdict(platform)).waiting == len(REASONS)
    assert await audit_chain.chain_events(platform) == len(REASONS)
    end = await aio(follow, sql)
    found = await verdict(platform)
    assert (found.ok, found.first, found.last, found.waiting) == (True, 1, len(REASONS), 0)
    assert found.hash == end.hex()
    await record(platform, "mais um")
    await audit_chain.chain_events(platform)
    assert (await verdict(platform, (found.last, found.hash))).ok


async def test_workers_at_once_make_one_chain(platform: Platform, sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "BATCH", 7)
    await record(platform, *["motivo"] * 60)
    chained = await asyncio.gather(*(audit_chain.chain_events(platform) for _ in range(4)))
    assert sum(chained) == 60
    await aio(follow, sql)
    assert (await verdict(platform)).ok


TOUCHED = {
    "changed": ("UPDATE platform.audit_event SET reason = 'outro' WHERE seq = 3", 3, "changed"),
    "first removed": ("DELETE FROM platform.audit_event WHERE seq = 1", 1, "missing"),
    "inner removed": ("DELETE FROM platform.audit_event WHERE seq = 2", 2, "missing"),
    "last removed": ("DELETE FROM platform.audit_event WHERE seq = 5", 5, "end"),
    "all removed": ("DELETE FROM platform.audit_event", 1, "end"),
    "hash made anew": (
        "WITH t AS (UPDATE platform.audit_event SET reason = 'x' WHERE seq = 3) "
        "UPDATE platform.audit_event AS e SET prev_hash = sha256('x') WHERE seq = 4",
        3,
        "changed",
    ),
}


@pytest.mark.parametrize("name", TOUCHED)
async def test_what_is_touched_breaks_the_chain_where_it_stands(platform: Platform, sql: Sql, name: str) -> None:
    statement, seq, why = TOUCHED[name]
    await record(platform, *["motivo"] * 5)
    await audit_chain.chain_events(platform)
    await aio(sql, statement)
    found = await verdict(platform)
    assert not found.ok
    assert found.broken
    assert (found.broken.seq, found.broken.why) == (seq, why)


async def test_a_chain_made_anew_differs_from_the_hash_known_before(platform: Platform, sql: Sql) -> None:
    await record(platform, "um", "dois", "três")
    await audit_chain.chain_events(platform)
    known = await verdict(platform)
    await aio(sql, "UPDATE platform.audit_event SET seq = NULL, prev_hash = NULL, hash = NULL, reason = 'forjado'")
    await aio(sql, "UPDATE platform.audit_chain SET seq = 0, hash = decode(repeat('00', 32), 'hex')")
    await audit_chain.chain_events(platform)
    assert (await verdict(platform)).ok
    assert (await verdict(platform, (known.last, known.hash))).broken == audit_chain.Break(3, "known")
    assert not (await verdict(platform, (9, known.hash))).ok


async def test_the_services_write_events_but_never_their_place_in_the_chain(platform: Platform, sql: Sql) -> None:
    await record(platform, "motivo")
    await audit_chain.chain_events(platform)
    for statement in (
        "UPDATE platform.audit_event SET reason = 'x'",
        "DELETE FROM platform.audit_event",
        "UPDATE platform.audit_chain SET seq = 0",
        "INSERT INTO platform.audit_event (id, request_id, operation, action, actor_kind, key_number, client, "
        "\"grant\", outcome, seq, prev_hash, hash) VALUES (gen_random_uuid(), '', '', 'read', 'staff', 1, '', "
        "'', 'done', 2, '', '')",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with platform.database.connection() as connection:
                await connection.execute(statement)


PUT = (
    "INSERT INTO platform.audit_event (id, at, request_id, operation, action, actor_kind, key_number, client, "
    "\"grant\", outcome) VALUES (gen_random_uuid(), $1::text::timestamptz, '', '', 'read', 'staff', 1, '', '', 'done')"
)
PARTITION = "CREATE TABLE platform.audit_event_{0} PARTITION OF platform.audit_event FOR VALUES FROM ('{1}') TO ('{2}')"


async def test_dropped_months_leave_a_chain_that_can_be_followed(platform: Platform, sql: Sql) -> None:
    for part in (("2000_01", "2000-01-01", "2000-02-01"), ("2000_02", "2000-02-01", "2000-03-01")):
        await aio(sql, PARTITION.format(*part))
    # The third event is chained after the second, although its month is earlier.
    for at in ("2000-01-05", "2000-02-05", "2000-01-06", "2000-02-06"):
        await aio(sql, PUT, at)
        await audit_chain.chain_events(platform)
    drop = "SELECT platform.drop_audit_months($1::text::timestamptz) AS dropped"
    for before, dropped, first in (("2000-01-31", 0, 1), ("2000-02-28", 2, 2), ("2000-03-01", 2, 5)):
        assert (await aio(sql, drop, before))[0]["dropped"] == dropped
        found = await verdict(platform)
        assert (found.ok, found.first, found.last) == (True, first, 4)
    await record(platform, "depois")
    await audit_chain.chain_events(platform)
    assert (await verdict(platform)).ok


async def test_a_month_that_nobody_prepared_is_moved_to_its_own_partition(platform: Platform, sql: Sql) -> None:
    month = (await aio(sql, "SELECT to_char(now(), 'YYYY_MM') AS month"))[0]["month"]
    await aio(sql, f"DROP TABLE platform.audit_event_{month}")
    await record(platform, "sem partição")
    assert len(await aio(sql, "SELECT FROM platform.audit_event_default")) == 1
    await aio(sql, "SELECT platform.prepare_audit_months(2)")
    assert await aio(sql, "SELECT FROM platform.audit_event_default") == []
    assert len(await aio(sql, f"SELECT FROM platform.audit_event_{month}")) == 1
    await record(platform, "com partição")
    await audit_chain.chain_events(platform)
    await aio(follow, sql)
