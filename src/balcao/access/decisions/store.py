"""SQL that reads changes from the audit chain, to rebuild earlier versions of the catalogue."""

from collections.abc import Sequence

from balcao.access.decisions.history import ChainedEvent
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


# Most changes concern people, so the query excludes changes that affect other people.
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
    """Return the changes between two versions, newest first. `people` contains the hashes of the person in question."""


# The catalogue was empty, at version 1, before the first event. As long as that event exists, every version can be
# rebuilt.
@statement("""
SELECT CASE seq WHEN 1 THEN 1 ELSE catalogue_version END
FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq LIMIT 1
""")
async def find_oldest_version(connection: Connection) -> int | None:
    """Return the oldest version that can be rebuilt, or None if the chain is empty.

    The oldest version rises over time, because retention deletes the start of the chain.
    """
