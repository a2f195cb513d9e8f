"""SQL of decisions: what changed since an earlier version, as the audit chain tells it."""

from collections.abc import Sequence

import msgspec

from balcao.access.decisions.history import Event
from balcao.core.database.pool import Connection

# Of changes of people only those of the one who is asked about: a city has more of them than of all others.
_CHANGES = """
SELECT operation, target_id, target_name, subject ->> 'hash' AS subject, before, after
FROM access.audit_event
WHERE seq IS NOT NULL AND catalogue_version > $1 AND catalogue_version <= $2
  AND (subject IS NULL OR subject ->> 'hash' = ANY($3::text[]))
ORDER BY seq DESC
LIMIT $4
"""


async def fetch_changes(
    connection: Connection, after: int, until: int, people: Sequence[str], limit: int
) -> list[Event]:
    """Return the changes between two versions, newest first; `people` are the hashes of the person asked about."""
    return [
        Event(
            row["operation"],
            row["target_id"],
            row["target_name"],
            row["subject"],
            msgspec.json.decode(row["before"] or "null"),
            msgspec.json.decode(row["after"] or "null"),
        )
        for row in await connection.fetch(_CHANGES, after, until, people, limit)
    ]


# Version 1 is that of the empty catalogue, before the chain's first event.
_OLDEST = """
SELECT CASE seq WHEN 1 THEN 1 ELSE catalogue_version END
FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq LIMIT 1
"""


async def find_oldest_version(connection: Connection) -> int:
    """Return the oldest version that can be made of the present one: retention deletes the chain's beginning."""
    return await connection.fetchval(_OLDEST) or 1
