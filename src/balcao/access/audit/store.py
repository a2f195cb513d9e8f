"""SQL for the catalogue's audit trail."""

from datetime import datetime
from typing import NamedTuple

from balcao.access.audit.schemas import AuditEvent, Verdict
from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement


class EventFilters(NamedTuple):
    """Filters for events. None matches all events.

    `actor` and `subject` contain the hashes of a person, one for each audit key.
    """

    operation: str | None
    target_type: str | None
    target_id: str | None
    target_name: str | None
    actor: list[str] | None
    subject: list[str] | None
    outcome: str | None
    since: datetime | None
    until: datetime | None
    from_version: int | None
    to_version: int | None


_WANTED = """
FROM access.audit_event
WHERE (:operation::text IS NULL OR operation = :operation)
  AND (:target_type::text IS NULL OR target_type = :target_type)
  AND (:target_id::text IS NULL OR target_id = :target_id)
  AND (:target_name::text IS NULL OR target_name = :target_name)
  AND (:actor::text[] IS NULL OR actor ->> 'hash' = ANY (:actor))
  AND (:subject::text[] IS NULL OR subject ->> 'hash' = ANY (:subject))
  AND (:outcome::text IS NULL OR outcome = :outcome)
  AND (:since::timestamptz IS NULL OR at >= :since)
  AND (:until::timestamptz IS NULL OR at < :until)
  AND (:from_version::bigint IS NULL OR catalogue_version >= :from_version)
  AND (:to_version::bigint IS NULL OR catalogue_version <= :to_version)
"""


@statement(
    page_sql(
        f"SELECT {', '.join(AuditEvent.__struct_fields__)} {_WANTED} ORDER BY id DESC LIMIT :limit OFFSET :skip",
        f"SELECT count(*) {_WANTED}",
    )
)
async def select_catalogue_events(
    connection: Connection, wanted: EventFilters, limit: int, skip: int
) -> Paged[AuditEvent]:
    """Return a page of matching events, newest first, and the total number of matching events."""


# Also read the event before the part, because the first `prev_hash` must match its hash. The oldest remaining event is
# exempt, because its `prev_hash` belongs to an event that retention has deleted.
@statement("""
WITH linked AS (
    SELECT seq, hash, prev_hash, access.chain_hash(event) AS computed,
           lag(hash) OVER (ORDER BY seq) AS hash_before, lag(seq) OVER (ORDER BY seq) AS seq_before
    FROM access.audit_event AS event
    WHERE seq BETWEEN :from_seq::bigint - 1 AND :to_seq),
judged AS (
    SELECT seq, hash,
           hash = computed AND CASE
               WHEN seq_before IS NOT NULL THEN seq = seq_before + 1 AND prev_hash = hash_before
               WHEN seq = 1 THEN prev_hash = repeat('0', 64)
               ELSE seq = (SELECT min(seq) FROM access.audit_event) END AS sound
    FROM linked
    WHERE seq >= :from_seq)
SELECT coalesce(bool_and(sound), true) AS ok, count(*) AS checked, min(seq) AS first_seq, max(seq) AS last_seq,
       (SELECT hash FROM judged ORDER BY seq DESC LIMIT 1) AS head_hash,
       min(seq) FILTER (WHERE NOT sound) AS broken_at
FROM judged
""")
async def verify_chain(connection: Connection, from_seq: int, to_seq: int) -> Verdict:
    """Recompute the hashes in a part of the chain, and compare them with the stored hashes."""
