"""SQL of decisions: what changed since an earlier version, as the audit chain tells it."""

from collections.abc import Sequence

from balcao.access.decisions.history import Event
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


# Of changes of people only those of the one who is asked about: a city has more of them than of all others.
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
) -> list[Event]:
    """Return the changes between two versions, newest first; `people` are the hashes of the person asked about."""


# Version 1 is that of the empty catalogue, before the chain's first event.
@statement("""
SELECT CASE seq WHEN 1 THEN 1 ELSE catalogue_version END
FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq LIMIT 1
""")
async def find_oldest_version(connection: Connection) -> int | None:
    """Return the oldest version that can be made of the present one: retention deletes the chain's beginning.

    None without any event.
    """
