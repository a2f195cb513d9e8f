"""Create, read and delete data sets, and add, change and delete their examples.

rules: agents 2.1, 2.3, 4.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.agents.datasets import store
from balcao.agents.datasets.cursors import ListPlace, encode_example_cursor, encode_list_cursor
from balcao.agents.datasets.incoming import (
    DatasetCreation,
    ExampleContent,
    ExampleCreation,
    ExamplesCreation,
    make_body_fault,
    parse_items,
)
from balcao.agents.datasets.schemas import (
    Added,
    Dataset,
    DatasetData,
    DatasetEdge,
    DatasetEnvelope,
    DatasetList,
    DatasetPage,
    DatasetsData,
    DatasetsEnvelope,
    DatasetsQuery,
    Edge,
    Example,
    Examples,
    ExamplesQuery,
    PageInfo,
    RevisedExample,
    Revision,
    Span,
)
from balcao.agents.datasets.store import ListedDataset, NewRow, StoredDataset
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.http.decoding import decode_model
from balcao.core.offloading import run_in_thread
from balcao.core.values.clock import format_rfc3339_offset, utc_now

MAX_RESPONSE_BYTES = 16 * 1024 * 1024
MAX_EXAMPLES = 100_000
# The maximum number of bytes that the envelope adds to an example's content: member names, id, cursor and span.
_ENVELOPE_BYTES = 512


async def list_datasets(call: Call, query: DatasetsQuery) -> DatasetsEnvelope:
    """Return a page of data sets, newest first."""
    async with call.platform.database.connection() as connection:
        found = await store.select_datasets(connection, query.place, query.first + 1)
    edges = [
        DatasetEdge(_to_dataset(dataset), encode_list_cursor(ListPlace(dataset.created_at, dataset.id)))
        for dataset in found[: query.first]
    ]
    page = PageInfo(edges[-1].cursor if edges else None, len(found) > query.first)
    return DatasetsEnvelope(DatasetsData(DatasetList(edges, page)))


async def read_dataset_examples(call: Call, query: ExamplesQuery) -> DatasetEnvelope:
    """Return a page of examples. The page is shorter than requested if the response would become too large.

    Raises NotFound if the data set does not exist.
    """
    async with call.platform.database.connection() as connection:
        dataset = _require_dataset(await store.read_dataset(connection, query.dataset_id))
        found = await store.list_examples(connection, dataset.id, query.position, query.first, MAX_RESPONSE_BYTES)
    edges = [
        Edge(
            Example(each.id, Revision(each.input, each.output, each.metadata), each.span),
            encode_example_cursor(dataset.id, each.position),
        )
        for each in found
    ]
    more = bool(found) and found[-1].last_position > found[-1].position
    examples = Examples(edges, PageInfo(edges[-1].cursor if edges else None, more))
    return DatasetEnvelope(
        DatasetData(DatasetPage("Dataset", dataset.id, dataset.name, dataset.example_count, examples))
    )


async def create_dataset_from(call: Call, content: bytes) -> Dataset:
    """Create a data set with its examples from a request body.

    Raises the same errors as `decode_model` and `create_dataset`.
    """
    # Parse in a thread, because the search for personal data takes a lot of CPU time and would delay all other requests
    # in the event loop.
    return await create_dataset(call, await run_in_thread(decode_model, content, DatasetCreation))


async def create_dataset(
    call: Call, body: DatasetCreation, dataset_id: str | None = None, at: datetime | None = None
) -> Dataset:
    """Create a data set with all of its examples, or create nothing.

    `at` is the creation time, by default now.

    Raises Conflict if the name or the id is taken, and Unprocessable in the same cases as `add_examples`.
    """
    created_at = at or utc_now()
    dataset = StoredDataset(dataset_id or _new_id(), body.name, 0)
    fields = (dataset.id, dataset.name, body.description, body.metadata)
    async with call.platform.database.transaction() as connection:
        if not await store.insert_dataset(connection, *fields, created_at):
            raise Conflict("Já existe um conjunto de dados com este nome.", code="dataset-exists")
        added = await _add_all(connection, dataset, body.examples, call.author.name, created_at, ["examples"])
        await call.platform.audit.record(connection, call, "create", fields=["dataset"])
    return Dataset(*fields, format_rfc3339_offset(created_at), added.added, 0)


async def delete_dataset(call: Call, dataset_id: str) -> None:
    """Delete a data set with its examples. Raises NotFound if the data set does not exist.

    The name can be used again. The ids of the data set and its examples cannot.
    """
    async with call.platform.database.transaction() as connection:
        if not await store.delete_dataset(connection, dataset_id, utc_now()):
            raise make_unknown_dataset()
        await call.platform.audit.record(connection, call, "delete", fields=["dataset"])


async def add_examples_from(call: Call, dataset_id: str, content: bytes) -> Added:
    """Add the examples in a request body, a JSON array or JSON Lines.

    Raises the same errors as `parse_items` and `add_examples`.
    """
    return await add_examples(
        call, dataset_id, await run_in_thread(parse_items, content, ExamplesCreation, ExampleCreation)
    )


async def add_examples(
    call: Call, dataset_id: str, examples: Sequence[ExampleCreation], at: datetime | None = None
) -> Added:
    """Add all examples or none.

    An example whose content the data set already contains is counted, but not stored again.

    Raises NotFound if the data set does not exist, and Unprocessable if an id is taken or the data set would exceed its
    maximum size.
    """
    async with call.platform.database.transaction() as connection:
        dataset = _require_dataset(await store.lock_dataset(connection, dataset_id))
        added = await _add_all(connection, dataset, examples, call.author.name, at or utc_now())
        await call.platform.audit.record(connection, call, "create", fields=["examples"])
    return added


async def _add_all(
    connection: Connection,
    dataset: StoredDataset,
    examples: Sequence[ExampleCreation],
    author: str,
    at: datetime,
    place: Sequence[str] = (),
) -> Added:
    """Add examples to a locked data set. `place` is the path to their list in the body.

    Raises Unprocessable if the data set would exceed its maximum size, or for the first id that another example has, in
    this call or in the database.
    """
    if not examples:
        return Added(0, 0, [])
    rows = [
        make_example_row(example.id or _new_id(), example.content, number) for number, example in enumerate(examples)
    ]
    ids = dict(await store.find_living_ids(connection, dataset.id, [row.content_hash for row in rows]))
    new = []
    for row in rows:
        if row.content_hash not in ids:
            ids[row.content_hash] = row.id
            new.append(row)
    require_dataset_capacity(dataset, len(new), place)
    free = await store.add_examples(connection, dataset.id, new, author, at)
    for row in new:
        if row.id not in free:
            raise make_body_fault([*place, str(row.place), "id"], "este identificador já é de outro exemplo")
        free.remove(row.id)
    return Added(len(new), len(rows) - len(new), [ids[row.content_hash] for row in rows])


def require_dataset_capacity(dataset: StoredDataset, count: int, place: Sequence[str] = ()) -> None:
    """Raise Unprocessable if the data set has no capacity for `count` more examples."""
    if dataset.example_count + count > MAX_EXAMPLES:
        raise make_body_fault(place, f"um conjunto de dados tem no máximo {MAX_EXAMPLES} exemplos")


async def revise_example(call: Call, dataset_id: str, example_id: str, body: ExampleContent) -> RevisedExample:
    """Replace an example's content by creating a new revision, unless the content is equal to the current one.

    Raises NotFound if the example does not exist, and Unprocessable if another example of the data set has this
    content.
    """
    row = make_example_row(example_id, body.content)
    async with call.platform.database.transaction() as connection:
        revision = await store.revise_example(connection, dataset_id, row, call.author.name, utc_now())
        if revision is None:
            revision = await store.read_example_revision(connection, dataset_id, example_id)
            if revision is None:
                _require_dataset(await store.read_dataset(connection, dataset_id))
                raise NotFound("Exemplo não encontrado.", code="example-not-found")
        else:
            await call.platform.audit.record(connection, call, "update", fields=["example"])
    return RevisedExample(example_id, revision, Revision(**body.content))


async def delete_example(call: Call, dataset_id: str, example_id: str) -> None:
    """Delete an example. Its id cannot be used again. Raises NotFound if the example does not exist."""
    async with call.platform.database.transaction() as connection:
        _require_dataset(await store.lock_dataset(connection, dataset_id))
        if not await store.delete_example(connection, dataset_id, example_id, utc_now()):
            raise NotFound("Exemplo não encontrado.", code="example-not-found")
        await call.platform.audit.record(connection, call, "delete", fields=["example"])


async def require_dataset(call: Call, dataset_id: str) -> StoredDataset:
    """Return a data set. Raises NotFound if no data set has this id."""
    return _require_dataset(await store.read_dataset(call.platform.database, dataset_id))


async def find_dataset(call: Call, name: str) -> StoredDataset | None:
    """Return the data set with this name, or None."""
    return await store.find_dataset_by_name(call.platform.database, name)


def make_example_row(example_id: str, content: dict[str, Any], place: int = 0, span: Span | None = None) -> NewRow:
    """Return the row to store for an example. The order of the content's members does not affect its hash."""
    size = len(msgspec.json.encode(content)) + _ENVELOPE_BYTES
    content_hash = hashlib.sha256(msgspec.json.encode(content, order="sorted")).digest()
    return NewRow(place, example_id, size, content_hash, content, span)


def _to_dataset(found: ListedDataset) -> Dataset:
    return Dataset(**msgspec.structs.asdict(found) | {"created_at": format_rfc3339_offset(found.created_at)})


def _require_dataset(dataset: StoredDataset | None) -> StoredDataset:
    if dataset is None:
        raise make_unknown_dataset()
    return dataset


def make_unknown_dataset() -> NotFound:
    """Return the error for a data set that does not exist."""
    return NotFound("Conjunto de dados não encontrado.", code="dataset-not-found")


def _new_id() -> str:
    """Return an opaque id of 22 URL-safe characters."""
    return secrets.token_urlsafe(16)
