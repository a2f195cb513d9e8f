"""SQL for the phone book. All times come from the database clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Self

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Row, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.consent.opt_outs.store import announce_sql
from balcao.registry.person.phone_book.schemas import (
    ExportedPhone,
    ExportedPhoneEntry,
    QuarantinedPhone,
    QuarantineStats,
)
from balcao.registry.person.phone_book.states import FREE, MOST_UNPROVEN, UNPROVEN_LIFETIME, Phone, Proof

_MEMBERS = "cpf, proof, channel, opt_in, bound_at, quarantined_at, quarantine_until, was_bound"


class StoredPhone(msgspec.Struct, frozen=True):
    """A phone number with its state at the time `now`.

    `version` is None if the number has no row. Two members concern a claimant: `belongs_to_another` is whether the
    number appears in another person's record, and `unproven` is how many numbers the claimant holds without proof.
    """

    phone: Phone
    version: str | None
    now: datetime
    belongs_to_another: bool
    unproven: int

    @classmethod
    def from_row(cls, row: Row) -> Self:
        phone = _parse_phone(row) if row["stands"] else FREE
        return cls(phone, row["version"], row["now"], row["belongs_to_another"], row["unproven"])


def _parse_phone(row: Row) -> Phone:
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


@lookup(f"""
SELECT clock_timestamp() AS now, version::text, {_MEMBERS},
       coalesce(quarantine_until > clock_timestamp() OR registry.is_phone_bound(held, :lasting), false) AS stands,
       CASE WHEN :claimant::text IS NULL THEN false ELSE registry.is_phone_anothers(:number, :claimant) END
           AS belongs_to_another,
       CASE WHEN :claimant::text IS NULL THEN 0 ELSE registry.count_unproven_phones(:claimant, :lasting) END AS unproven
FROM (VALUES (true)) AS always LEFT JOIN registry.phone_book AS held ON number = :number
""")
async def find_phone(
    source: Source, number: str, claimant: Cpf | None = None, lasting: timedelta = UNPROVEN_LIFETIME
) -> StoredPhone:
    """Return the number, and the facts that decide whether `claimant` may bind it without proof."""


class PhoneEntry(msgspec.Struct, frozen=True):
    """A phone book entry, stored as proof. `number` shows only the last four digits."""

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


# A write succeeds only if the row still has the version that was read. If the row was inserted, changed or deleted in
# the meantime, the statement writes nothing: no row, no entry and no audit event.
#
# Limit: `hold_unproven_phones` locks the claimant's unproven numbers and counts them, so concurrent claims cannot
# exceed the limit.
_ROW = ", ".join(f":phone.{name}" for name in _MEMBERS.split(", "))
_MAY_CLAIM = f"""
CASE WHEN :claimant::text IS NULL THEN true
     ELSE registry.hold_unproven_phones(:claimant, :lasting) < {MOST_UNPROVEN} END
"""


# The change's entries that end consent, as a relation with their ids.
_WITHDRAWN = """(
    SELECT entry.id FROM written, jsonb_to_recordset(:entries::jsonb) AS entry (id uuid, action text)
    WHERE entry.action IN ('opt_out', 'rejected', 'quarantined')
)"""


def _write_sql(written: str) -> str:
    """Return the statement that writes the row, `:entries` and `:trail` together."""
    return f"""
    WITH written AS (
        {written}
    ), entered AS (
        INSERT INTO registry.phone_book_entry
            (id, cpf, number_hash, number, action, channel, reason, actor_kind, azp, request_id)
        SELECT entry.* FROM written CROSS JOIN LATERAL jsonb_to_recordset(:entries::jsonb) AS entry (
            id uuid, cpf text, number_hash bytea, number text, action text, channel text, reason text,
            actor_kind text, azp text, request_id text)
    ), recorded AS (
        {record_sql(":trail::jsonb", "written")}
    ), {announce_sql(_WITHDRAWN)}
    SELECT EXISTS (SELECT FROM written)
    """


@statement(
    _write_sql(f"""
INSERT INTO registry.phone_book (number, {_MEMBERS}, version)
SELECT :number, {_ROW}, gen_random_uuid() WHERE {_MAY_CLAIM}
ON CONFLICT (number) DO NOTHING RETURNING number
""")
)
async def _insert_phone(
    connection: Connection,
    number: str,
    phone: Phone,
    claimant: Cpf | None,
    entries: Sequence[PhoneEntry],
    trail: str,
    lasting: timedelta = UNPROVEN_LIFETIME,
) -> bool: ...


@statement(
    _write_sql(f"""
UPDATE registry.phone_book SET ({_MEMBERS}) = ROW ({_ROW}), version = gen_random_uuid()
WHERE number = :number AND version = :version::text::uuid AND {_MAY_CLAIM} RETURNING number
""")
)
async def _update_phone(
    connection: Connection,
    number: str,
    version: str,
    phone: Phone,
    claimant: Cpf | None,
    entries: Sequence[PhoneEntry],
    trail: str,
    lasting: timedelta = UNPROVEN_LIFETIME,
) -> bool: ...


@statement(
    _write_sql(
        "DELETE FROM registry.phone_book WHERE number = :number AND version = :version::text::uuid RETURNING number"
    )
)
async def _delete_phone(
    connection: Connection, number: str, version: str | None, entries: Sequence[PhoneEntry], trail: str
) -> bool: ...


# Write only the audit event and the entries, if any, for a call that does not change the row.
@statement(_write_sql("SELECT :number::text AS number"))
async def _insert_phone_entries(
    connection: Connection, number: str, entries: Sequence[PhoneEntry], trail: str
) -> bool: ...


async def write_phone(
    connection: Connection,
    number: str,
    found: StoredPhone,
    after: Phone | None,
    entries: Sequence[PhoneEntry],
    trail: str,
) -> bool:
    """Write the number with its entries and audit event. Return False if the number has changed since it was read.

    If `after` is None, the number does not change.
    """
    if after is None or (after == FREE and found.version is None):
        return await _insert_phone_entries(connection, number, entries, trail)
    if after == FREE:
        return await _delete_phone(connection, number, found.version, entries, trail)
    claimant = after.cpf if after.proof is Proof.TOKEN and after.cpf != found.phone.cpf else None
    if found.version is None:
        return await _insert_phone(connection, number, after, claimant, entries, trail)
    return await _update_phone(connection, number, found.version, after, claimant, entries, trail)


_IN_QUARANTINE = """
FROM registry.phone_book
WHERE quarantine_until IS NOT NULL AND (quarantine_until <= clock_timestamp()) = :expired
"""


@statement(
    page_sql(
        f"""
        SELECT '+' || number AS phone_number, quarantine_until, quarantine_until <= clock_timestamp() AS expired
        {_IN_QUARANTINE} ORDER BY quarantine_until, number LIMIT :limit OFFSET :offset
        """,
        f"SELECT count(*) {_IN_QUARANTINE}",
    )
)
async def select_quarantined_phones(
    connection: Connection, page: Page, *, expired: bool
) -> Paged[QuarantinedPhone]: ...


@statement("""
SELECT count(*) AS total_quarantined,
       count(*) FILTER (WHERE quarantine_until > clock_timestamp()) AS active_quarantines,
       count(*) FILTER (WHERE quarantine_until <= clock_timestamp()) AS expired_quarantines,
       count(*) FILTER (WHERE was_bound) AS quarantines_with_cpf,
       count(*) FILTER (WHERE NOT was_bound) AS quarantines_without_cpf,
       (SELECT count(*) FROM registry.phone_book_entry WHERE action IN ('quarantined', 'rejected'))
           AS quarantine_history_total
FROM registry.phone_book WHERE quarantine_until IS NOT NULL
""")
async def read_quarantine_stats(connection: Connection) -> QuarantineStats: ...


@statement("""
SELECT '+' || number AS phone_number, proof, channel, opt_in, bound_at
FROM registry.phone_book AS held WHERE cpf = :cpf AND registry.is_phone_bound(held, :lasting) ORDER BY number
""")
async def list_bound_phones(
    connection: Connection, cpf: Cpf, lasting: timedelta = UNPROVEN_LIFETIME
) -> list[ExportedPhone]: ...


@statement("""
SELECT number AS phone_number, action, channel, reason, at
FROM registry.phone_book_entry WHERE cpf = :cpf ORDER BY at DESC, id DESC
""")
async def list_phone_entries(connection: Connection, cpf: Cpf) -> list[ExportedPhoneEntry]:
    """Return the person's phone book entries, newest first."""


@statement("SELECT count(*) FROM registry.phone_book_entry WHERE cpf = :cpf")
async def count_own_phone_entries(connection: Connection, cpf: Cpf) -> int: ...


@statement("DELETE FROM registry.phone_book WHERE cpf = :cpf AND bound_at <= :at")
async def unbind_covered_phones(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Free the numbers that were bound to the person up to `at`. Return how many were freed."""


@statement("SELECT count(*) FROM registry.phone_book WHERE quarantine_until IS NOT NULL")
async def count_quarantined_phones(connection: Connection) -> int: ...


@statement("DELETE FROM registry.phone_book WHERE quarantine_until <= now() - interval '30 days'")
async def delete_ended_quarantines(connection: Connection) -> int:
    """Delete numbers whose quarantine ended at least 30 days ago. Return how many were deleted."""


@statement("SELECT count(*) FROM registry.phone_book WHERE proof = 'token'")
async def count_unproven_phones(connection: Connection) -> int: ...


@statement("DELETE FROM registry.phone_book WHERE proof = 'token' AND bound_at <= now() - :lasting::interval")
async def delete_lapsed_phones(connection: Connection, lasting: timedelta = UNPROVEN_LIFETIME) -> int:
    """Delete expired bindings without proof. Return how many were deleted."""


@statement("SELECT count(*) FROM registry.phone_book_entry")
async def count_phone_entries(connection: Connection) -> int: ...


@statement("DELETE FROM registry.phone_book_entry WHERE at <= now() - interval '5 years'")
async def delete_old_phone_entries(connection: Connection) -> int:
    """Delete entries that are at least five years old. Return how many were deleted.

    Only the table's owner may do this.
    """
