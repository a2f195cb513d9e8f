"""SQL of decisions: what changed since an earlier version, as the audit chain tells it."""

from collections.abc import Sequence

from balcao.access.decisions.history import ChainedEvent
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


# Changes of people are the most numerous by far, so those of others than the person asked about are left out in SQL.
@statement("""
SELECT operation, target_id, target_name, subject ->> 'hash' AS subject, before, after
FROM access.audit_event
WHERE seq IS NOT NULL AND catalogue_version > :after AND catalogue_version <= :until
  AND (subject IS NULL OR subject ->> 'hash' = ANY(:people::text[]))
ORDER BY seq DESC
LIMIT :limit
""")
async def list_changes_between(
    connection: Connection, after: int, until: int, people: Sequence[str], limit: int
) -> list[ChainedEvent]:
    """Return the changes between two versions, newest first; `people` are the hashes of the person asked about."""


# Before the chain's first event the catalogue was empty, at version 1: while that event is there, no version is lost.
@statement("""
SELECT CASE seq WHEN 1 THEN 1 ELSE catalogue_version END
FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq LIMIT 1
""")
async def find_oldest_version(connection: Connection) -> int | None:
    """Return the oldest version that can be made of the present one: retention deletes the chain's beginning.

    None without any event.
    """
