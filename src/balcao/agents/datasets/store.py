"""SQL of the data sets and their examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection, Row, json_text


class Dataset(msgspec.Struct, frozen=True):
    id: str
    name: str
    example_count: int


_READ = "SELECT id, name, example_count FROM agents.datasets WHERE id = $1"


async def read(connection: Connection, dataset_id: str) -> Dataset | None:
    return _to_dataset(await connection.fetchrow(_READ, dataset_id))


_NAMED = "SELECT id, name, example_count FROM agents.datasets WHERE name = $1"


async def find_by_name(connection: Connection, name: str) -> Dataset | None:
    return _to_dataset(await connection.fetchrow(_NAMED, name))


_LOCK = "SELECT id, name, example_count FROM agents.datasets WHERE id = $1 FOR UPDATE"


async def lock(connection: Connection, dataset_id: str) -> Dataset | None:
    """Return a data set; whoever holds its row is alone in giving out positions."""
    return _to_dataset(await connection.fetchrow(_LOCK, dataset_id))


_INSERT = """
INSERT INTO agents.datasets (id, name, description, metadata, created_at)
VALUES ($1, $2, $3, $4::jsonb, $5)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def insert(
    connection: Connection, dataset_id: str, name: str, description: str, metadata: dict[str, Any], at: datetime
) -> bool:
    """Return false when the name or the id is taken."""
    return bool(await connection.fetchval(_INSERT, dataset_id, name, description, json_text(metadata), at))


# The page's candidates are the next `first` + 1 by position; contents are read only for those that fit in the response.
_PAGE = """
WITH candidate AS (
    SELECT id, position, revision, span, size
    FROM agents.dataset_examples
    WHERE dataset_id = $1 AND position > $2 AND deleted_at IS NULL
    ORDER BY position
    LIMIT $3 + 1
), measured AS (
    SELECT *, row_number() OVER placed AS place, sum(size) OVER placed AS total, max(position) OVER () AS furthest
    FROM candidate
    WINDOW placed AS (ORDER BY position)
)
SELECT example.id, position, span, input, output, metadata, furthest
FROM measured AS example
JOIN agents.dataset_example_revisions AS content
    ON content.example_id = example.id AND content.revision = example.revision
WHERE place = 1 OR (place <= $3 AND total <= $4)
ORDER BY position
"""


async def list_page(connection: Connection, dataset_id: str, after: int, first: int, max_bytes: int) -> list[Row]:
    """Return living examples past a position; `furthest` beyond the last row's position tells that more follow."""
    return list(await connection.fetch(_PAGE, dataset_id, after, first, max_bytes))


_LIVING = """
SELECT content_hash, id FROM agents.dataset_examples
WHERE dataset_id = $1 AND content_hash = ANY($2) AND deleted_at IS NULL
"""


async def find_living_ids(connection: Connection, dataset_id: str, content_hashes: Sequence[bytes]) -> dict[bytes, str]:
    """Return the ids of the living examples with one of these contents, by the content's hash."""
    return {row["content_hash"]: row["id"] for row in await connection.fetch(_LIVING, dataset_id, content_hashes)}


# One statement for thousands of rows: each of its own costs a round trip, and the data set's row a new version.
_ADD = """
WITH new AS (
    SELECT * FROM unnest($2::text[], $3::integer[], $4::bytea[]) WITH ORDINALITY AS row(id, size, content_hash, place)
), placed AS (
    UPDATE agents.datasets
    SET next_position = next_position + cardinality($2), example_count = example_count + cardinality($2)
    WHERE id = $1
    RETURNING next_position - cardinality($2) AS first
)
INSERT INTO agents.dataset_examples (id, dataset_id, position, size, content_hash)
SELECT new.id, $1, placed.first + new.place - 1, new.size, new.content_hash FROM new, placed
ON CONFLICT (id) DO NOTHING
RETURNING id
"""
_FIRST_REVISIONS = """
INSERT INTO agents.dataset_example_revisions (example_id, revision, input, output, metadata, author, created_at)
SELECT id, 1, input::jsonb, output::jsonb, metadata::jsonb, $5, $6
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS row(id, input, output, metadata)
"""


@dataclass(frozen=True)
class NewRow:
    """An example to add; `place` is where the caller sent it."""

    place: int
    id: str
    size: int
    content_hash: bytes
    content: Mapping[str, Any]


async def add(connection: Connection, dataset_id: str, rows: Sequence[NewRow], author: str, at: datetime) -> set[str]:
    """Add examples in this order, and return the ids of those whose id was free.

    Of two with one id only one is added; the caller finds that out by counting.
    """
    ids = [row.id for row in rows]
    columns = [row.size for row in rows], [row.content_hash for row in rows]
    added = {row["id"] for row in await connection.fetch(_ADD, dataset_id, ids, *columns)}
    contents = {row.id: row.content for row in rows if row.id in added}
    texts = ([json_text(content[name]) for content in contents.values()] for name in ("input", "output", "metadata"))
    await connection.execute(_FIRST_REVISIONS, list(contents), *texts, author, at)
    return added


_DELETE = """
WITH gone AS (
    UPDATE agents.dataset_examples SET deleted_at = $3
    WHERE dataset_id = $1 AND id = $2 AND deleted_at IS NULL
    RETURNING true
)
UPDATE agents.datasets SET example_count = example_count - 1 WHERE id = $1 AND EXISTS (SELECT FROM gone)
RETURNING true
"""


async def delete(connection: Connection, dataset_id: str, example_id: str, at: datetime) -> bool:
    """Return false when there is no such living example."""
    return bool(await connection.fetchval(_DELETE, dataset_id, example_id, at))


def _to_dataset(row: Row | None) -> Dataset | None:
    return None if row is None else Dataset(**dict(row))
