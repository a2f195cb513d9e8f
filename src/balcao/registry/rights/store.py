"""SQL over the platform's audit trail: who saw a person's data, and what an auditor searches."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Any

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count
from balcao.core.http.paging import Page
from balcao.core.values.period import Period
from balcao.registry.rights.schemas import Access, AuditEvent

# Whoever acts on their own data is `self`, by whatever right they passed; what the platform does by itself goes by the
# name of its own client.
_ACCESSES = """
SELECT at, action, operation, fields,
       CASE WHEN actor_hash = subject_hash THEN 'owner' ELSE actor_kind END AS actor_kind,
       CASE WHEN actor_hash = subject_hash THEN 'self' WHEN client = '' THEN $6 ELSE client END AS actor,
       "grant", reason, outcome
FROM platform.audit_event
WHERE subject_hash = ANY($1::bytea[]) AND ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
ORDER BY at DESC, id DESC
LIMIT $4 OFFSET $5
"""
_COUNT_ACCESSES = """
SELECT count(*) FROM platform.audit_event
WHERE subject_hash = ANY($1::bytea[]) AND ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
"""


async def list_accesses(
    connection: Connection, subject: Sequence[bytes], period: Period, page: Page | None, platform_client: str
) -> list[Access]:
    """Return accesses to a person's data, the newest first; all of them without a page.

    `subject` are the hashes that stand for the person, one for each key that was ever in use.
    """
    limit, offset = (page.limit, page.offset) if page else (None, 0)
    rows = await connection.fetch(_ACCESSES, subject, period.start, period.end, limit, offset, platform_client)
    return [Access(**row) for row in rows]


async def count_accesses(connection: Connection, subject: Sequence[bytes], period: Period) -> int:
    """Return how many accesses to a person's data there were."""
    return await fetch_count(connection, _COUNT_ACCESSES, subject, period.start, period.end)


_LIST_ANONYMISED = """
SELECT DISTINCT subject_hash FROM platform.audit_event
WHERE subject_hash = ANY ($1) AND operation = 'registry.anonymise_citizen' AND action = 'anonymise'
"""


async def list_anonymised(connection: Connection, subjects: Sequence[bytes]) -> set[bytes]:
    """Return those of the subjects whose anonymisation was asked for here, not told by the CRM."""
    return {row["subject_hash"] for row in await connection.fetch(_LIST_ANONYMISED, subjects)}


_AGO = "SELECT now() - $1::interval"


async def fetch_time_before(connection: Connection, span: timedelta) -> datetime:
    """Return the instant `span` before the transaction began, by the database's clock."""
    found: datetime = await connection.fetchval(_AGO, span)
    return found


@dataclass(frozen=True)
class Filters:
    """What to look for in the trail; None lets everything pass.

    `subject`, `actor` and `logins` are the hashes of a person, of a person and of a login, one per key and issuer.
    """

    subject: list[bytes] | None
    actor: list[bytes] | None
    client: str | None
    operation: str | None
    logins: list[bytes] | None


_MATCHING = """
FROM platform.audit_event
WHERE at >= $1 AND at < $2
  AND ($3::bytea[] IS NULL OR subject_hash = ANY ($3)) AND ($4::bytea[] IS NULL OR actor_hash = ANY ($4))
  AND ($5::text IS NULL OR client = $5) AND ($6::text IS NULL OR operation = $6)
  AND ($7::bytea[] IS NULL OR actor_hash = ANY ($7))
"""
_EVENTS = f"""
SELECT id::text, seq, at, request_id, operation, action, subject, encode(subject_hash, 'hex') AS subject_hash,
       actor_kind, encode(actor_hash, 'hex') AS actor_hash, key_number, client, "grant", fields, reason, outcome,
       encode(prev_hash, 'hex') AS prev_hash, encode(hash, 'hex') AS hash
{_MATCHING}
ORDER BY at DESC, id DESC
LIMIT $8 OFFSET $9
"""
_COUNT_EVENTS = f"SELECT count(*) {_MATCHING}"


async def list_events(connection: Connection, period: Period, filters: Filters, page: Page) -> Sequence[AuditEvent]:
    """Return a page of events, the newest first."""
    rows = await connection.fetch(_EVENTS, *_bounds(period, filters), page.limit, page.offset)
    return [AuditEvent(**row) for row in rows]


async def count_events(connection: Connection, period: Period, filters: Filters) -> int:
    """Return how many events match."""
    return await fetch_count(connection, _COUNT_EVENTS, *_bounds(period, filters))


def _bounds(period: Period, filters: Filters) -> tuple[Any, ...]:
    return period.start, period.end, *astuple(filters)
