"""SQL of the phone book. The one clock is the database's."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phone_book.schemas import (
    ExportedPhone,
    ExportedPhoneEntry,
    QuarantinedPhone,
    QuarantineStats,
)
from balcao.registry.person.phone_book.states import FREE, MOST_UNPROVEN, UNPROVEN_LASTING, Phone, Proof

_MEMBERS = "cpf, proof, channel, opt_in, bound_at, quarantined_at, quarantine_until, was_bound"


class Found(msgspec.Struct, frozen=True):
    """A number as it is at `now`; `version` is None where there is no row.

    For whoever wants it: whether it stands in another's record, and how many numbers are theirs on their word alone.
    """

    phone: Phone
    version: str | None
    now: datetime
    is_anothers: bool
    unproven: int


_FIND = f"""
SELECT clock_timestamp() AS now, version::text, {_MEMBERS},
       coalesce(quarantine_until > clock_timestamp() OR registry.is_phone_bound(held, $3), false) AS stands,
       CASE WHEN $2::text IS NULL THEN false ELSE registry.is_phone_anothers($1, $2) END AS is_anothers,
       CASE WHEN $2::text IS NULL THEN 0 ELSE registry.count_unproven_phones($2, $3) END AS unproven
FROM (VALUES (true)) AS always LEFT JOIN registry.phone_book AS held ON number = $1
"""


async def find(connection: Connection, number: str, claimant: Cpf | None = None) -> Found:
    """Return the number, and what decides whether `claimant` may have it on their word alone."""
    row = await connection.fetchrow(_FIND, number, claimant and claimant.digits, UNPROVEN_LASTING)
    assert row is not None  # the outer join always has one
    phone = _to_phone(row) if row["stands"] else FREE
    return Found(phone, row["version"], row["now"], row["is_anothers"], row["unproven"])


def _to_phone(row: Row) -> Phone:
    return Phone(
        cpf=Cpf(row["cpf"]) if row["cpf"] else None,
        proof=Proof(row["proof"]) if row["proof"] else None,
        channel=row["channel"],
        opt_in=row["opt_in"],
        bound_at=row["bound_at"],
        quarantined_at=row["quarantined_at"],
        quarantine_until=row["quarantine_until"],
        was_bound=row["was_bound"],
    )


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
# Nor does one that binds one number more than somebody may have on their word alone ($12), also of several at once.
_ROW = "$2, $3, $4, $5, $6, $7, $8, $9"
_MAY_CLAIM = f"CASE WHEN $12::text IS NULL THEN true ELSE registry.hold_unproven_phones($12, $13) < {MOST_UNPROVEN} END"
_INSERTED = f"""
INSERT INTO registry.phone_book (number, {_MEMBERS}, version) SELECT $1, {_ROW}, gen_random_uuid() WHERE {_MAY_CLAIM}
ON CONFLICT (number) DO NOTHING RETURNING number
"""
_UPDATED = f"""
UPDATE registry.phone_book SET ({_MEMBERS}) = ROW ({_ROW}), version = gen_random_uuid()
WHERE number = $1 AND version = $14::text::uuid AND {_MAY_CLAIM} RETURNING number
"""
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
    """


_INSERT = _write_sql(_INSERTED, "$10", "$11")
_UPDATE = _write_sql(_UPDATED, "$10", "$11")
_DELETE = _write_sql(_DELETED, "$3", "$4")
_ENTER = _write_sql(_UNTOUCHED, "$2", "$3")


async def write(
    connection: Connection, number: str, found: Found, after: Phone | None, entries: Sequence[Entry], trail: str
) -> bool:
    """Write the number with its entries and trace; return False if what decided it has changed since it was found.

    With `after` None the number stays as it is.
    """
    noted = json_text(entries)
    if after is None or (after == FREE and found.version is None):
        return bool(await connection.fetchval(_ENTER, number, noted, trail))
    if after == FREE:
        return bool(await connection.fetchval(_DELETE, number, found.version, noted, trail))
    row = [after.cpf and after.cpf.digits, after.proof, after.channel, after.opt_in, after.bound_at]
    row += [after.quarantined_at, after.quarantine_until, after.was_bound]
    claims = after.proof is Proof.TOKEN and after.cpf != found.phone.cpf
    written = (number, *row, noted, trail, row[0] if claims else None, UNPROVEN_LASTING)
    if found.version is None:
        return bool(await connection.fetchval(_INSERT, *written))
    return bool(await connection.fetchval(_UPDATE, *written, found.version))


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
FROM registry.phone_book AS held WHERE cpf = $1 AND registry.is_phone_bound(held, $2) ORDER BY number
"""
_ENTRIES = """
SELECT number AS phone_number, action, channel, reason, at
FROM registry.phone_book_entry WHERE cpf = $1 ORDER BY at DESC, id DESC
"""


async def list_phones(connection: Connection, cpf: Cpf) -> list[ExportedPhone]:
    return [ExportedPhone(**row) for row in await connection.fetch(_PHONES, cpf.digits, UNPROVEN_LASTING)]


async def list_entries(connection: Connection, cpf: Cpf) -> list[ExportedPhoneEntry]:
    """Return what the person said over any number, the newest first."""
    return [ExportedPhoneEntry(**row) for row in await connection.fetch(_ENTRIES, cpf.digits)]


_UNBIND = "DELETE FROM registry.phone_book WHERE cpf = $1 AND bound_at <= $2 RETURNING true"


async def unbind_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Free the numbers that were bound to the person up to that time; return how many."""
    return len(await connection.fetch(_UNBIND, cpf.digits, at))


_COUNT_QUARANTINED = "SELECT count(*) FROM registry.phone_book WHERE quarantine_until IS NOT NULL"
_DELETE_OVER = """
DELETE FROM registry.phone_book WHERE quarantine_until <= now() - interval '30 days' RETURNING true
"""
_COUNT_UNPROVEN = "SELECT count(*) FROM registry.phone_book WHERE proof = 'token'"
_DELETE_LAPSED = """
DELETE FROM registry.phone_book WHERE proof = 'token' AND bound_at <= now() - $1::interval RETURNING true
"""
_COUNT_ENTRIES = "SELECT count(*) FROM registry.phone_book_entry"
_DELETE_OLD = "DELETE FROM registry.phone_book_entry WHERE at <= now() - interval '5 years' RETURNING true"


async def count_quarantined(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_QUARANTINED)


async def delete_over(connection: Connection) -> int:
    """Delete numbers whose quarantine has been over for 30 days; return how many."""
    return len(await connection.fetch(_DELETE_OVER))


async def count_unproven(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_UNPROVEN)


async def delete_lapsed(connection: Connection) -> int:
    """Delete bindings on somebody's word alone whose time is over; return how many."""
    return len(await connection.fetch(_DELETE_LAPSED, UNPROVEN_LASTING))


async def count_entries(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ENTRIES)


async def delete_old_entries(connection: Connection) -> int:
    """Delete old entries; return how many. By the owner of the table only."""
    return len(await connection.fetch(_DELETE_OLD))
