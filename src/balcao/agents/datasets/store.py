"""SQL for data sets and their examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from balcao.agents.datasets.cursors import ListPlace
from balcao.agents.datasets.incoming import make_body_fault
from balcao.agents.datasets.schemas import Span
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows


class StoredDataset(msgspec.Struct, frozen=True):
    """The columns of a data set that are needed to read and write its examples."""

    id: str
    name: str
    example_count: int


_READ = "SELECT id, name, example_count FROM agents.datasets WHERE id = :dataset_id AND deleted_at IS NULL"


@lookup(_READ)
async def read_dataset(source: Source, dataset_id: str) -> StoredDataset | None: ...


@lookup("SELECT id, name, example_count FROM agents.datasets WHERE name = :name AND deleted_at IS NULL")
async def find_dataset_by_name(source: Source, name: str) -> StoredDataset | None: ...


@statement(f"{_READ} FOR UPDATE")
async def lock_dataset(connection: Connection, dataset_id: str) -> StoredDataset | None:
    """Return a data set and lock its row.

    Only the transaction that holds this lock may assign positions to examples.
    """


class ListedDataset(msgspec.Struct, frozen=True):
    """A data set, with the numbers of its examples and experiments."""

    id: str
    name: str
    description: str
    metadata: dict[str, Any]
    created_at: datetime
    example_count: int
    experiment_count: int


@statement("""
SELECT id, name, description, metadata, created_at, example_count,
       (SELECT count(*) FROM agents.experiments WHERE dataset_id = dataset.id) AS experiment_count
FROM agents.datasets AS dataset
WHERE deleted_at IS NULL
  AND (:after.created_at::timestamptz IS NULL OR (created_at, id) < (:after.created_at, :after.id))
ORDER BY created_at DESC, id DESC
LIMIT :first
""")
async def select_datasets(connection: Connection, after: ListPlace | None, first: int) -> list[ListedDataset]:
    """Return the data sets after a position in the list, newest first."""


@statement("""
INSERT INTO agents.datasets (id, name, description, metadata, created_at)
VALUES (:dataset_id, :name, :description, :metadata::jsonb, :at)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def insert_dataset(
    connection: Connection, dataset_id: str, name: str, description: str, metadata: dict[str, Any], at: datetime
) -> bool:
    """Insert a data set. Return False if its name or id is taken."""


class PlacedExample(msgspec.Struct, frozen=True):
    """An example on a page. `last_position` is the position of the last example that was considered for the page."""

    id: str
    position: int
    span: Span | None
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]
    last_position: int


# The candidates are the next `first` + 1 examples, sorted by position. Content is read only for candidates that fit
# into the response.
@statement("""
WITH candidate AS (
    SELECT id, position, revision, span, size
    FROM agents.dataset_examples
    WHERE dataset_id = :dataset_id AND position > :after AND deleted_at IS NULL
    ORDER BY position
    LIMIT :first + 1
), measured AS (
    SELECT *, row_number() OVER placed AS place, sum(size) OVER placed AS total, max(position) OVER () AS last_position
    FROM candidate
    WINDOW placed AS (ORDER BY position)
)
SELECT example.id, position, span, input, output, metadata, last_position
FROM measured AS example
JOIN agents.dataset_example_revisions AS content
    ON content.example_id = example.id AND content.revision = example.revision
WHERE place = 1 OR (place <= :first AND total <= :max_bytes)
ORDER BY position
""")
async def list_examples(
    connection: Connection, dataset_id: str, after: int, first: int, max_bytes: int
) -> list[PlacedExample]:
    """Return the examples after a position, except deleted ones.

    If the position of the last returned example is less than `last_position`, more examples follow.
    """


class ExampleTexts(msgspec.Struct, frozen=True):
    """An example, with each part of its content as a JSON string."""

    id: str
    position: int
    input: str
    output: str
    metadata: str


@statement("""
SELECT example.id, position, input, output, metadata
FROM agents.dataset_examples AS example
JOIN agents.dataset_example_revisions AS content
    ON content.example_id = example.id AND content.revision = example.revision
WHERE dataset_id = :dataset_id AND position > :after AND deleted_at IS NULL
ORDER BY position
LIMIT :count
""")
async def list_example_texts(connection: Connection, dataset_id: str, after: int, count: int) -> list[ExampleTexts]:
    """Return the contents of the examples after a position, except deleted ones."""


@statement("""
SELECT content_hash, id FROM agents.dataset_examples
WHERE dataset_id = :dataset_id AND content_hash = ANY(:content_hashes) AND deleted_at IS NULL
""")
async def find_living_ids(
    connection: Connection, dataset_id: str, content_hashes: Sequence[bytes]
) -> Mapping[bytes, str]:
    """Return the ids of the examples with these content hashes, by hash. Deleted examples are not found."""


@dataclass(frozen=True)
class NewRow:
    """An example to store.

    `place` is its index in the caller's list, and `span` is the source of an imported example.
    """

    place: int
    id: str
    size: int
    content_hash: bytes
    content: Mapping[str, Any]
    span: Span | None = None

    @property
    def input(self) -> Any:
        """The input that the agent receives."""
        return self.content["input"]

    @property
    def output(self) -> Any:
        """The output that the agent is expected to return."""
        return self.content["output"]

    @property
    def metadata(self) -> Any:
        """Further data about the example."""
        return self.content["metadata"]


async def add_examples(
    connection: Connection, dataset_id: str, rows: Sequence[NewRow], author: str, at: datetime
) -> set[str]:
    """Add examples in this order. Return the ids of the added examples.

    An example is not added if its id is taken. If two rows have the same id, only one of them is added, so the caller
    must also compare the number of returned ids with the number of rows.
    """
    if not rows:
        return set()
    added = await _insert_examples(connection, dataset_id, rows)
    of_added = {row.id: row for row in rows if row.id in added}
    await _insert_first_revisions(connection, list(of_added.values()), author, at)
    return added


# Insert all rows in one statement. A statement for each row would cost a round trip for each, and rewrite the data
# set's row each time. The data set's counters include every row, so the caller must roll back if a row was not added.
@statement("""
WITH new AS (
    SELECT * FROM unnest(:rows.id::text[], :rows.size::integer[], :rows.content_hash::bytea[], :rows.span::jsonb[])
        WITH ORDINALITY AS row(id, size, content_hash, span, place)
), placed AS (
    UPDATE agents.datasets
    SET next_position = next_position + cardinality(:rows.id), example_count = example_count + cardinality(:rows.id)
    WHERE id = :dataset_id
    RETURNING next_position - cardinality(:rows.id) AS first
)
INSERT INTO agents.dataset_examples (id, dataset_id, position, size, content_hash, span)
SELECT new.id, :dataset_id, placed.first + new.place - 1, new.size, new.content_hash, new.span FROM new, placed
ON CONFLICT (id) DO NOTHING
RETURNING id
""")
async def _insert_examples(connection: Connection, dataset_id: str, rows: Sequence[NewRow]) -> set[str]: ...


@statement("""
INSERT INTO agents.dataset_example_revisions (example_id, revision, input, output, metadata, author, created_at)
SELECT id, 1, input, output, metadata, :author, :at
FROM unnest(:rows.id::text[], :rows.input::jsonb[], :rows.output::jsonb[], :rows.metadata::jsonb[])
    AS row(id, input, output, metadata)
""")
async def _insert_first_revisions(
    connection: Connection, rows: Sequence[NewRow], author: str, at: datetime
) -> None: ...


@statement("""
WITH gone AS (
    UPDATE agents.dataset_examples SET deleted_at = :at
    WHERE dataset_id = :dataset_id AND id = :example_id AND deleted_at IS NULL
    RETURNING true
)
UPDATE agents.datasets SET example_count = example_count - 1 WHERE id = :dataset_id AND EXISTS (SELECT FROM gone)
RETURNING true
""")
async def delete_example(connection: Connection, dataset_id: str, example_id: str, at: datetime) -> bool:
    """Delete an example. Return False if it does not exist or is already deleted."""


async def revise_example(connection: Connection, dataset_id: str, row: NewRow, author: str, at: datetime) -> int | None:
    """Replace an example's content. Return the number of the new revision, or None if nothing changed.

    Raises Unprocessable if another example of the data set has this content.
    """
    try:
        return await _revise_example(connection, dataset_id, row, author, at)
    except asyncpg.UniqueViolationError:
        raise make_body_fault([], "outro exemplo do conjunto já tem este conteúdo") from None


# If the example already has this content, nothing changes. If another example has it, the unique index is violated.
@statement("""
WITH revised AS (
    UPDATE agents.dataset_examples SET revision = revision + 1, size = :size, content_hash = :content_hash
    WHERE dataset_id = :dataset_id AND id = :id AND deleted_at IS NULL AND content_hash <> :content_hash
      AND EXISTS (SELECT FROM agents.datasets WHERE id = :dataset_id AND deleted_at IS NULL)
    RETURNING id, revision
)
INSERT INTO agents.dataset_example_revisions (example_id, revision, input, output, metadata, author, created_at)
SELECT id, revision, :input::jsonb, :output::jsonb, :metadata::jsonb, :author, :at FROM revised
RETURNING revision
""")
async def _revise_example(
    connection: Connection, dataset_id: str, row: NewRow, author: str, at: datetime
) -> int | None: ...


@statement("""
SELECT revision FROM agents.dataset_examples AS example
JOIN agents.datasets AS dataset ON dataset.id = dataset_id AND dataset.deleted_at IS NULL
WHERE dataset_id = :dataset_id AND example.id = :example_id AND example.deleted_at IS NULL
""")
async def read_example_revision(connection: Connection, dataset_id: str, example_id: str) -> int | None:
    """Return the number of the example's latest revision, or None if the example does not exist or is deleted."""


@statement("UPDATE agents.datasets SET deleted_at = :at WHERE id = :dataset_id AND deleted_at IS NULL")
async def delete_dataset(connection: Connection, dataset_id: str, at: datetime) -> bool:
    """Delete a data set together with its examples. Return False if it does not exist."""


# Do not change a data set that staff have deleted.
@statement("""
INSERT INTO agents.datasets AS dataset (id, name, description, metadata, created_at)
SELECT id, name, description, metadata, coalesce(created_at, now())
FROM jsonb_to_recordset(:rows::jsonb)
    AS row (id text, name text, description text, metadata jsonb, created_at timestamptz)
ON CONFLICT (id) DO UPDATE
    SET name = excluded.name, description = excluded.description, metadata = excluded.metadata
WHERE dataset.deleted_at IS NULL AND (dataset.name, dataset.description, dataset.metadata)
    IS DISTINCT FROM (excluded.name, excluded.description, excluded.metadata)
""")
async def import_datasets(connection: Connection, rows: Sequence[msgspec.Struct]) -> int:
    """Store new and changed data sets, and return how many were stored."""


class KnownExample(msgspec.Struct, frozen=True):
    """An existing example. It may be deleted, or belong to another data set."""

    dataset_id: str
    content_hash: bytes
    deleted: bool


@statement("""
SELECT id, dataset_id, content_hash, deleted_at IS NOT NULL AS deleted
FROM agents.dataset_examples WHERE id = ANY(:ids)
""")
async def find_examples(connection: Connection, ids: Sequence[str]) -> Mapping[str, KnownExample]:
    """Return the examples that have these ids, by id. Deleted examples are included."""


@statement("""
WITH erased AS (
    UPDATE agents.dataset_examples AS example SET size = 0, content_hash = '', span = NULL,
        deleted_at = coalesce(example.deleted_at, dataset.deleted_at)
    FROM agents.datasets AS dataset
    WHERE dataset.id = dataset_id AND least(example.deleted_at, dataset.deleted_at) < :before AND size > 0
    RETURNING example.id
), removed AS (
    DELETE FROM agents.dataset_example_revisions AS revision USING erased WHERE revision.example_id = erased.id
)
SELECT count(*) FROM erased
""")
async def erase_deleted_examples(connection: Connection, before: datetime) -> int:
    """Erase the content of examples that were deleted before `before`, either individually or with their data set.

    Only the tables' owner may do this, because only the owner may delete revisions.
    """


@statement("""
UPDATE agents.datasets SET name = id, description = '', metadata = '{}'
WHERE deleted_at < :before AND (name, description, metadata) IS DISTINCT FROM (id, '', '{}'::jsonb)
""")
async def erase_deleted_datasets(connection: Connection, before: datetime) -> None:
    """Erase the content of data sets that were deleted before `before`."""


@statement("""
SELECT count(*) FROM agents.dataset_examples AS example JOIN agents.datasets AS dataset ON dataset.id = dataset_id
WHERE size > 0 AND least(example.deleted_at, dataset.deleted_at) IS NOT NULL
""")
async def count_deleted_examples(connection: Connection) -> int:
    """Return the number of deleted examples whose content is not yet erased."""


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
