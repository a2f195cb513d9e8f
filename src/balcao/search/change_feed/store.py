"""SQL for the change feed. A trigger on the versions writes the entries; this module only reads them."""

import msgspec

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION
from balcao.search.public import PublicService


class StoredEntry(msgspec.Struct, frozen=True):
    """The last change of a service. `service` is None if it is not published."""

    position: int
    service_id: str
    changed_at: int
    service: PublicService | None


# The LEFT JOIN returns the newest position even if there are no changes. A subquery looks up each service separately,
# so that the planner never converts the whole collection for one page.
_READ = """
SELECT newest.position AS newest, entry.position, entry.service_id::text,
       floor(extract(epoch FROM entry.changed_at))::bigint AS changed_at,
       CASE WHEN entry.published THEN (
           SELECT stepped.doc::text
           FROM search.{physical} AS service, search.step(service.id, service.doc, service.carried, $3, $4) AS stepped
           WHERE service.id = entry.service_id AND service.status = 1) END AS doc
FROM (SELECT coalesce(max(position), 0) AS position FROM search.feed_entries) AS newest
LEFT JOIN LATERAL (
    SELECT * FROM search.feed_entries WHERE position > $1 ORDER BY position LIMIT $2
) AS entry ON true
ORDER BY entry.position
"""


async def read_after(connection: Connection, alias: Alias, position: int, limit: int) -> tuple[int, list[StoredEntry]]:
    """Return the newest position, or 0 in an empty feed, and up to `limit` entries after `position`, in order."""
    statement = _READ.format(physical=alias.physical)
    rows = await connection.fetch(statement, position, limit, alias.schema_version, PROGRAM_VERSION)
    entries = [
        StoredEntry(
            row["position"],
            row["service_id"],
            row["changed_at"],
            None if row["doc"] is None else msgspec.json.decode(row["doc"], type=PublicService),
        )
        for row in rows
        if row["position"] is not None
    ]
    return rows[0]["newest"], entries
