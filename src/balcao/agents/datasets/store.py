"""SQL of the data sets and their examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from balcao.agents.datasets.cursors import ListPlace
from balcao.agents.datasets.incoming import refuse_body
from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import affected, fetch_count
from balcao.core.exports.declaration import Export, Exports, Rows


class StoredDataset(msgspec.Struct, frozen=True):
    """What others need of a data set to work on its examples."""

    id: str
    name: str
    example_count: int


_READ = "SELECT id, name, example_count FROM agents.datasets WHERE id = $1 AND deleted_at IS NULL"


async def read(connection: Connection, dataset_id: str) -> StoredDataset | None:
    return _to_dataset(await connection.fetchrow(_READ, dataset_id))


_NAMED = "SELECT id, name, example_count FROM agents.datasets WHERE name = $1 AND deleted_at IS NULL"


async def find_by_name(connection: Connection, name: str) -> StoredDataset | None:
    return _to_dataset(await connection.fetchrow(_NAMED, name))


_LOCK = f"{_READ} FOR UPDATE"


async def lock(connection: Connection, dataset_id: str) -> StoredDataset | None:
    """Return a data set; whoever holds its row is alone in giving out positions."""
    return _to_dataset(await connection.fetchrow(_LOCK, dataset_id))


_LIST = """
SELECT id, name, description, metadata, created_at, example_count,
       (SELECT count(*) FROM agents.experiments WHERE dataset_id = dataset.id) AS experiment_count
FROM agents.datasets AS dataset
WHERE deleted_at IS NULL AND ($1::timestamptz IS NULL OR (created_at, id) < ($1, $2))
ORDER BY created_at DESC, id DESC
LIMIT $3
"""


async def list_datasets(connection: Connection, after: ListPlace | None, first: int) -> list[Row]:
    """Return data sets, the newest first, past a place in the list."""
    return list(await connection.fetch(_LIST, *(after or (None, None)), first))


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


_EXPORT = """
SELECT example.id, position, input, output, metadata
FROM agents.dataset_examples AS example
JOIN agents.dataset_example_revisions AS content
    ON content.example_id = example.id AND content.revision = example.revision
WHERE dataset_id = $1 AND position > $2 AND deleted_at IS NULL
ORDER BY position
LIMIT $3
"""


async def list_contents(connection: Connection, dataset_id: str, after: int, count: int) -> list[Row]:
    """Return the contents of living examples past a position."""
    return list(await connection.fetch(_EXPORT, dataset_id, after, count))


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
    SELECT * FROM unnest($2::text[], $3::integer[], $4::bytea[], $5::text[])
        WITH ORDINALITY AS row(id, size, content_hash, span, place)
), placed AS (
    UPDATE agents.datasets
    SET next_position = next_position + cardinality($2), example_count = example_count + cardinality($2)
    WHERE id = $1
    RETURNING next_position - cardinality($2) AS first
)
INSERT INTO agents.dataset_examples (id, dataset_id, position, size, content_hash, span)
SELECT new.id, $1, placed.first + new.place - 1, new.size, new.content_hash, new.span::jsonb FROM new, placed
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
    """An example to write; `place` is where the caller sent it, `span` where an imported one was taken from."""

    place: int
    id: str
    size: int
    content_hash: bytes
    content: Mapping[str, Any]
    span: Any = None


async def add(connection: Connection, dataset_id: str, rows: Sequence[NewRow], author: str, at: datetime) -> set[str]:
    """Add examples in this order, and return the ids of those whose id was free.

    Of two with one id only one is added; the caller finds that out by counting.
    """
    if not rows:
        return set()
    ids = [row.id for row in rows]
    spans = [None if row.span is None else json_text(row.span) for row in rows]
    columns = [row.size for row in rows], [row.content_hash for row in rows], spans
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


# The content that is there already is no change; that of another living example breaks the unique index.
_REVISE = """
WITH revised AS (
    UPDATE agents.dataset_examples SET revision = revision + 1, size = $3, content_hash = $4
    WHERE dataset_id = $1 AND id = $2 AND deleted_at IS NULL AND content_hash <> $4
      AND EXISTS (SELECT FROM agents.datasets WHERE id = $1 AND deleted_at IS NULL)
    RETURNING id, revision
)
INSERT INTO agents.dataset_example_revisions (example_id, revision, input, output, metadata, author, created_at)
SELECT id, revision, $5::jsonb, $6::jsonb, $7::jsonb, $8, $9 FROM revised
RETURNING revision
"""


async def revise(connection: Connection, dataset_id: str, row: NewRow, author: str, at: datetime) -> int | None:
    """Give a living example this content; return its new revision's number, None when nothing changed.

    Raises Unprocessable when another living example of the set has the content.
    """
    texts = [json_text(row.content[name]) for name in ("input", "output", "metadata")]
    values = (dataset_id, row.id, row.size, row.content_hash, *texts, author, at)
    try:
        revision: int | None = await connection.fetchval(_REVISE, *values)
    except asyncpg.UniqueViolationError:
        raise refuse_body([], "outro exemplo do conjunto já tem este conteúdo") from None
    return revision


_REVISION = """
SELECT revision FROM agents.dataset_examples AS example
JOIN agents.datasets AS dataset ON dataset.id = dataset_id AND dataset.deleted_at IS NULL
WHERE dataset_id = $1 AND example.id = $2 AND example.deleted_at IS NULL
"""


async def read_revision(connection: Connection, dataset_id: str, example_id: str) -> int | None:
    """Return the number of a living example's latest revision."""
    revision: int | None = await connection.fetchval(_REVISION, dataset_id, example_id)
    return revision


_DELETE_SET = "UPDATE agents.datasets SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL"


async def delete_dataset(connection: Connection, dataset_id: str, at: datetime) -> bool:
    """Delete a data set, and with it its examples; return false when there is none."""
    return affected(await connection.execute(_DELETE_SET, dataset_id, at)) > 0


# A set that staff have deleted stays as it is.
_IMPORT_SETS = """
INSERT INTO agents.datasets AS dataset (id, name, description, metadata, created_at)
SELECT id, name, description, metadata, coalesce(created_at, now())
FROM jsonb_to_recordset($1::jsonb)
    AS row (id text, name text, description text, metadata jsonb, created_at timestamptz)
ON CONFLICT (id) DO UPDATE
    SET name = excluded.name, description = excluded.description, metadata = excluded.metadata
WHERE dataset.deleted_at IS NULL AND (dataset.name, dataset.description, dataset.metadata)
    IS DISTINCT FROM (excluded.name, excluded.description, excluded.metadata)
"""


async def import_datasets(connection: Connection, rows: Sequence[msgspec.Struct]) -> int:
    """Write the sets that are new or changed; return how many. By the tables' owner only."""
    return affected(await connection.execute(_IMPORT_SETS, json_text(rows)))


_KNOWN = """
SELECT id, dataset_id, content_hash, deleted_at IS NOT NULL AS deleted
FROM agents.dataset_examples WHERE id = ANY($1)
"""


async def find_examples(connection: Connection, ids: Sequence[str]) -> dict[str, Row]:
    """Return those of the examples that are there, deleted ones too: set, content's hash, and whether deleted."""
    return {row["id"]: row for row in await connection.fetch(_KNOWN, ids)}


_ERASE_EXAMPLES = """
WITH erased AS (
    UPDATE agents.dataset_examples AS example SET size = 0, content_hash = '', span = NULL,
        deleted_at = coalesce(example.deleted_at, dataset.deleted_at)
    FROM agents.datasets AS dataset
    WHERE dataset.id = dataset_id AND least(example.deleted_at, dataset.deleted_at) < $1 AND size > 0
    RETURNING example.id
), removed AS (
    DELETE FROM agents.dataset_example_revisions AS revision USING erased WHERE revision.example_id = erased.id
)
SELECT count(*) FROM erased
"""
_ERASE_SETS = """
UPDATE agents.datasets SET name = id, description = '', metadata = '{}'
WHERE deleted_at < $1 AND (name, description, metadata) IS DISTINCT FROM (id, '', '{}'::jsonb)
"""


_COUNT_DELETED = """
SELECT count(*) FROM agents.dataset_examples AS example JOIN agents.datasets AS dataset ON dataset.id = dataset_id
WHERE size > 0 AND least(example.deleted_at, dataset.deleted_at) IS NOT NULL
"""


async def erase_deleted(connection: Connection, before: datetime) -> int:
    """Remove what examples and sets deleted before then held; return how many examples. By the tables' owner only."""
    await connection.execute(_ERASE_SETS, before)
    return await fetch_count(connection, _ERASE_EXAMPLES, before)


async def count_deleted(connection: Connection) -> int:
    """Return how many deleted examples still have their content."""
    return await fetch_count(connection, _COUNT_DELETED)


def _to_dataset(row: Row | None) -> StoredDataset | None:
    return None if row is None else StoredDataset(**dict(row))


_LIVE, _DELETED = "stored.deleted_at IS NULL", "stored.deleted_at IS NOT NULL"
_IN_LIVE_SET = f"{_LIVE} AND EXISTS (SELECT FROM agents.datasets WHERE id = dataset_id AND datasets.deleted_at IS NULL)"
_EXAMPLE = """
to_jsonb(stored) - 'content_hash' || (
    SELECT jsonb_build_object('input', input, 'output', output, 'metadata', metadata)
    FROM agents.dataset_example_revisions AS latest
    WHERE latest.example_id = stored.id AND latest.revision = stored.revision)
"""
_IN_ORDER = ("dataset_id", "position")
EXPORTS = Exports(
    [
        Export("datasets", Rows("agents.datasets", condition=_LIVE)),
        Export("examples", Rows("agents.dataset_examples", _EXAMPLE, _IN_LIVE_SET, _IN_ORDER)),
        Export("deleted-datasets", Rows("agents.datasets", condition=_DELETED)),
        Export("deleted-examples", Rows("agents.dataset_examples", _EXAMPLE, f"NOT ({_IN_LIVE_SET})", _IN_ORDER)),
    ],
    tables=("agents.dataset_example_revisions",),
)
