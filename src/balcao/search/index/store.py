"""SQL that reads services and changes for the index."""

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION
from balcao.search.index.reader import IndexState


@statement("""
SELECT coalesce(newest.position, 0) AS position,
       coalesce(newest.service_id::text || ' ' || newest.changed_at::text, '') AS newest,
       collection.generation,
       coalesce(collection.ranked_at::text, '') AS popularity
FROM search.search_collection AS collection
LEFT JOIN LATERAL (SELECT * FROM search.index_changes ORDER BY position DESC LIMIT 1) AS newest ON true
WHERE name = 'services'
""")
async def read_wanted_state(connection: Connection) -> IndexState:
    """Return the state of an index that contains every committed change."""


class IndexRow(msgspec.Struct, frozen=True):
    """A service for the index. `doc` is the JSON of its document."""

    id: str
    doc: str
    popularity: float
    phrases: list[str]


class ChangedRow(msgspec.Struct, frozen=True):
    """A change of the catalogue. `row` is None if the service no longer exists."""

    position: int
    service_id: str
    row: IndexRow | None


_COLUMNS = """
service.id::text AS id, stepped.doc::text AS doc, coalesce(popular.percentile, 0)::float8 AS popularity,
coalesce(said.phrases, '{{}}') AS phrases
"""
_TABLES = """
search.{physical} AS service
CROSS JOIN LATERAL search.step(service.id, service.doc, service.carried, $1, $2) AS stepped
LEFT JOIN search.service_popularity AS popular ON popular.service_id = service.id
LEFT JOIN search.service_phrases AS said ON said.service_id = service.id
"""
_LIST = f"""
SELECT {_COLUMNS} FROM {_TABLES} WHERE $3::uuid IS NULL OR service.id > $3 ORDER BY service.id LIMIT $4
"""


async def list_index_rows(connection: Connection, alias: Alias, after: str | None, limit: int) -> list[IndexRow]:
    """Return the next services of the active table in the order of their ids."""
    text = _LIST.format(physical=alias.physical)
    rows = await connection.fetch(text, alias.schema_version, PROGRAM_VERSION, after, limit)
    return [IndexRow(row["id"], row["doc"], row["popularity"], row["phrases"]) for row in rows]


# The lateral join looks up each service separately, so that the planner never converts the whole collection.
_CHANGES = f"""
SELECT change.position, change.service_id::text AS service_id, found.*
FROM (SELECT * FROM search.index_changes WHERE position > $3 ORDER BY position LIMIT $4) AS change
LEFT JOIN LATERAL (SELECT {_COLUMNS} FROM {_TABLES} WHERE service.id = change.service_id) AS found ON true
ORDER BY change.position
"""


async def list_index_changes(connection: Connection, alias: Alias, after: int, limit: int) -> list[ChangedRow]:
    """Return the changes after this position, in commit order, with the current state of the services."""
    text = _CHANGES.format(physical=alias.physical)
    rows = await connection.fetch(text, alias.schema_version, PROGRAM_VERSION, after, limit)
    return [
        ChangedRow(
            row["position"],
            row["service_id"],
            None if row["doc"] is None else IndexRow(row["id"], row["doc"], row["popularity"], row["phrases"]),
        )
        for row in rows
    ]


_COUNT = "SELECT count(*) FROM search.{physical}"


async def count_indexed(connection: Connection, alias: Alias) -> int:
    """Return the number of services that the index must contain."""
    return int(await connection.fetchval(_COUNT.format(physical=alias.physical)))
