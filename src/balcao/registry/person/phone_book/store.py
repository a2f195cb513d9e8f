"""SQL of the phone book. The one clock is the database's."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phone_book.schemas import QuarantinedPhone, QuarantineStats
from balcao.registry.person.phone_book.states import FREE, Phone, Proof

_MEMBERS = "cpf, proof, channel, opt_in, bound_at, quarantined_at, quarantine_until, was_bound"


class Found(msgspec.Struct, frozen=True):
    """A number as it is at `now`; `version` is None where there is no row."""

    phone: Phone
    version: str | None
    now: datetime


_FIND = f"""
SELECT clock_timestamp() AS now, version::text, {_MEMBERS}
FROM (VALUES (true)) AS always LEFT JOIN registry.phone_book ON number = $1
"""  # noqa: S608 - our own list of columns


async def find(connection: Connection, number: str) -> Found:
    row = await connection.fetchrow(_FIND, number)
    assert row is not None  # the outer join always has one
    if row["version"] is None:
        return Found(FREE, None, row["now"])
    phone = Phone(
        cpf=Cpf(row["cpf"]) if row["cpf"] else None,
        proof=Proof(row["proof"]) if row["proof"] else None,
        channel=row["channel"],
        opt_in=row["opt_in"],
        bound_at=row["bound_at"],
        quarantined_at=row["quarantined_at"],
        quarantine_until=row["quarantine_until"],
        was_bound=row["was_bound"],
    )
    return Found(phone.at(row["now"]), row["version"], row["now"])


class Entry(msgspec.Struct, frozen=True):
    """What was said over a number, as proof; `number` shows its last digits only."""

    id: str
    cpf: str | None
    number_hash: str
    number: str
    action: str
    channel: str | None
    reason: str | None
    actor_kind: str
    azp: str
    request_id: str


# A write holds only if the row is still the one that was read: a row that has come, changed or gone meanwhile makes it
# no write at all, and its entry and trace neither.
_ROW = "$2, $3, $4, $5, $6, $7, $8, $9"
_INSERTED = f"""
INSERT INTO registry.phone_book (number, {_MEMBERS}, version) VALUES ($1, {_ROW}, gen_random_uuid())
ON CONFLICT (number) DO NOTHING RETURNING number
"""  # noqa: S608 - constants
_UPDATED = f"""
UPDATE registry.phone_book SET ({_MEMBERS}) = ROW ({_ROW}), version = gen_random_uuid()
WHERE number = $1 AND version = $12::text::uuid RETURNING number
"""  # noqa: S608 - constants
_DELETED = "DELETE FROM registry.phone_book WHERE number = $1 AND version = $2::text::uuid RETURNING number"
# Nothing of the row changes; the entry is written all the same.
_UNTOUCHED = "SELECT $1::text AS number"


def _write_sql(written: str, entries: str, trail: str) -> str:
    """Return the statement that writes the row, its entries and its trace together; the two are parameters."""
    return f"""
    WITH written AS (
        {written}
    ), entered AS (
        INSERT INTO registry.phone_book_entry
            (id, cpf, number_hash, number, action, channel, reason, actor_kind, azp, request_id)
        SELECT entry.* FROM written CROSS JOIN LATERAL jsonb_to_recordset({entries}::jsonb) AS entry (
            id uuid, cpf text, number_hash bytea, number text, action text, channel text, reason text,
            actor_kind text, azp text, request_id text)
    ), recorded AS (
        {record_sql(f"{trail}::jsonb", "written")}
    )
    SELECT EXISTS (SELECT FROM written)
    """  # noqa: S608 - our own texts


_INSERT = _write_sql(_INSERTED, "$10", "$11")
_UPDATE = _write_sql(_UPDATED, "$10", "$11")
_DELETE = _write_sql(_DELETED, "$3", "$4")
_ENTER = _write_sql(_UNTOUCHED, "$2", "$3")


async def write(
    connection: Connection, number: str, found: Found, after: Phone | None, entries: Sequence[Entry], trail: str
) -> bool:
    """Write the number with its entries and trace; return False if it has changed since it was found.

    With `after` None the number stays as it is.
    """
    noted = json_text(entries)
    if after is None or (after == FREE and found.version is None):
        return bool(await connection.fetchval(_ENTER, number, noted, trail))
    if after == FREE:
        return bool(await connection.fetchval(_DELETE, number, found.version, noted, trail))
    row = [after.cpf and after.cpf.digits, after.proof, after.channel, after.opt_in, after.bound_at]
    row += [after.quarantined_at, after.quarantine_until, after.was_bound]
    if found.version is None:
        return bool(await connection.fetchval(_INSERT, number, *row, noted, trail))
    return bool(await connection.fetchval(_UPDATE, number, *row, noted, trail, found.version))


_IN_QUARANTINE = """
FROM registry.phone_book
WHERE quarantine_until IS NOT NULL AND (quarantine_until <= clock_timestamp()) = $1
"""
_QUARANTINED = page_sql(
    f"""
    SELECT '+' || number AS phone_number, quarantine_until, quarantine_until <= clock_timestamp() AS expired
    {_IN_QUARANTINE} ORDER BY quarantine_until, number LIMIT $2 OFFSET $3
    """,
    f"SELECT count(*) {_IN_QUARANTINE}",
)


async def list_quarantined(connection: Connection, page: Page, *, expired: bool) -> tuple[list[QuarantinedPhone], int]:
    """Return a page of numbers, and how many there are on all pages."""
    rows, total = await fetch_page(connection, _QUARANTINED, expired, page.limit, page.offset)
    return [QuarantinedPhone(**row) for row in rows], total


_STATS = """
SELECT count(*) AS total_quarantined,
       count(*) FILTER (WHERE quarantine_until > clock_timestamp()) AS active_quarantines,
       count(*) FILTER (WHERE quarantine_until <= clock_timestamp()) AS expired_quarantines,
       count(*) FILTER (WHERE was_bound) AS quarantines_with_cpf,
       count(*) FILTER (WHERE NOT was_bound) AS quarantines_without_cpf,
       (SELECT count(*) FROM registry.phone_book_entry WHERE action IN ('quarantined', 'rejected'))
           AS quarantine_history_total
FROM registry.phone_book WHERE quarantine_until IS NOT NULL
"""


async def fetch_stats(connection: Connection) -> QuarantineStats:
    row = await connection.fetchrow(_STATS)
    assert row is not None  # a row of counts
    return QuarantineStats(**dict(row))


_PHONES = """
SELECT '+' || number AS phone_number, proof, channel, opt_in, bound_at
FROM registry.phone_book WHERE cpf = $1 ORDER BY number
"""
_ENTRIES = """
SELECT number AS phone_number, action, channel, reason, at
FROM registry.phone_book_entry WHERE cpf = $1 ORDER BY at DESC, id DESC
"""


async def list_phones(connection: Connection, cpf: Cpf) -> list[Mapping[str, Any]]:
    return [dict(row) for row in await connection.fetch(_PHONES, cpf.digits)]


async def list_entries(connection: Connection, cpf: Cpf) -> list[Mapping[str, Any]]:
    """Return what the person said over any number, the newest first."""
    return [dict(row) for row in await connection.fetch(_ENTRIES, cpf.digits)]


_UNBIND = "DELETE FROM registry.phone_book WHERE cpf = $1 AND bound_at <= $2 RETURNING true"


async def unbind_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Free the numbers that were bound to the person up to that time; return how many."""
    return len(await connection.fetch(_UNBIND, cpf.digits, at))


_COUNT_QUARANTINED = "SELECT count(*) FROM registry.phone_book WHERE quarantine_until IS NOT NULL"
_DELETE_OVER = """
DELETE FROM registry.phone_book WHERE quarantine_until <= now() - interval '30 days' RETURNING true
"""
_COUNT_ENTRIES = "SELECT count(*) FROM registry.phone_book_entry"
_DELETE_OLD = "DELETE FROM registry.phone_book_entry WHERE at <= now() - interval '5 years' RETURNING true"


async def count_quarantined(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_QUARANTINED)


async def delete_over(connection: Connection) -> int:
    """Delete numbers whose quarantine has been over for 30 days; return how many."""
    return len(await connection.fetch(_DELETE_OVER))


async def count_entries(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ENTRIES)


async def delete_old_entries(connection: Connection) -> int:
    """Delete old entries; return how many. By the owner of the table only."""
    return len(await connection.fetch(_DELETE_OLD))
