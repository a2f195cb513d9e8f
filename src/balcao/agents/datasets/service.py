"""Data sets: reading their examples page by page, making them, adding to them (rules: agents 2.1, 4)."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.agents.datasets import store
from balcao.agents.datasets.cursors import encode_cursor
from balcao.agents.datasets.schemas import (
    DatasetData,
    DatasetEnvelope,
    DatasetPage,
    Edge,
    Example,
    Examples,
    ExamplesQuery,
    NewDataset,
    NewExample,
    PageInfo,
    Revision,
    Span,
)
from balcao.agents.datasets.store import Dataset
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Conflict, Fault, NotFound, Unprocessable
from balcao.core.values.clock import utc_now

MAX_RESPONSE_BYTES = 16 * 1024 * 1024
MAX_EXAMPLES = 100_000
# What the envelope adds to an example's contents: its names, id, cursor and a span.
_ENVELOPE_BYTES = 512


class Added(msgspec.Struct):
    """`ids` of all examples sent, in their order; `unchanged` counts those whose content was there already."""

    added: int
    unchanged: int
    ids: list[str]


async def read_examples(call: Call, query: ExamplesQuery) -> DatasetEnvelope:
    """Return a page of examples; it may hold fewer than asked for when the response would grow too large.

    Raises NotFound for an unknown data set.
    """
    async with call.platform.database.connection() as connection:
        dataset = _require_dataset(await store.read(connection, query.dataset_id))
        rows = await store.list_page(connection, dataset.id, query.position, query.first, MAX_RESPONSE_BYTES)
    edges = [_to_edge(dataset.id, row) for row in rows]
    more = bool(rows) and rows[-1]["furthest"] > rows[-1]["position"]
    examples = Examples(edges, PageInfo(edges[-1].cursor if edges else None, more))
    return DatasetEnvelope(
        DatasetData(DatasetPage("Dataset", dataset.id, dataset.name, dataset.example_count, examples))
    )


async def create_dataset(call: Call, body: NewDataset, at: datetime | None = None) -> Dataset:
    """Create a data set as of `at` (now unless given). Raises Conflict when the name is taken."""
    dataset = Dataset(body.id or _new_id(), body.name, 0)
    async with call.platform.database.transaction() as connection:
        fields = (dataset.id, dataset.name, body.description, body.metadata)
        if not await store.insert(connection, *fields, at or utc_now()):
            raise Conflict("Já existe um conjunto de dados com este nome.", code="dataset-exists")
        await call.platform.audit.record(connection, call, "create", fields=["dataset"])
    return dataset


async def add_examples(
    call: Call, dataset_id: str, examples: Sequence[NewExample], at: datetime | None = None
) -> Added:
    """Add all examples or none; those whose content is there already are counted, not repeated.

    Raises NotFound; Unprocessable for a taken id and above the limit of a set.
    """
    hashes = [_hash_content(example) for example in examples]
    async with call.platform.database.transaction() as connection:
        dataset = _require_dataset(await store.lock(connection, dataset_id))
        ids = await store.find_living_ids(connection, dataset_id, hashes)
        new: list[store.NewRow] = []
        for place, (example, content_hash) in enumerate(zip(examples, hashes, strict=True)):
            if content_hash not in ids:
                ids[content_hash] = example.id or _new_id()
                size = len(msgspec.json.encode(example.content)) + _ENVELOPE_BYTES
                new.append(store.NewRow(place, ids[content_hash], size, content_hash, example.content))
        await _add(call, connection, dataset_id, new, at or utc_now())
        if dataset.example_count + len(new) > MAX_EXAMPLES:
            raise _make_refusal([], f"um conjunto de dados tem no máximo {MAX_EXAMPLES} exemplos")
        await call.platform.audit.record(connection, call, "create", fields=["examples"])
    return Added(len(new), len(examples) - len(new), [ids[content_hash] for content_hash in hashes])


async def _add(call: Call, connection: Connection, dataset_id: str, new: Sequence[store.NewRow], at: datetime) -> None:
    """Add rows. Raises Unprocessable for the first id that another example has, of this call or of before."""
    free = await store.add(connection, dataset_id, new, call.author.name, at)
    for row in new:
        if row.id not in free:
            raise _make_refusal([str(row.place), "id"], "este identificador já é de outro exemplo")
        free.remove(row.id)


async def delete_example(call: Call, dataset_id: str, example_id: str) -> None:
    """Delete an example; its id stays taken. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        _require_dataset(await store.lock(connection, dataset_id))
        if not await store.delete(connection, dataset_id, example_id, utc_now()):
            raise NotFound("Exemplo não encontrado.", code="example-not-found")
        await call.platform.audit.record(connection, call, "delete", fields=["example"])


async def find_dataset(call: Call, name: str) -> Dataset | None:
    """Return the data set of this name, or None."""
    async with call.platform.database.connection() as connection:
        return await store.find_by_name(connection, name)


def _hash_content(example: NewExample) -> bytes:
    """Return the same for the same content, whatever the order of its members."""
    return hashlib.sha256(msgspec.json.encode(example.content, order="sorted")).digest()


def _to_edge(dataset_id: str, row: Row) -> Edge:
    contents: dict[str, Any] = {name: msgspec.json.decode(row[name]) for name in ("input", "output", "metadata")}
    span = msgspec.json.decode(row["span"], type=Span) if row["span"] else None
    return Edge(Example(row["id"], Revision(**contents), span), encode_cursor(dataset_id, row["position"]))


def _require_dataset(dataset: Dataset | None) -> Dataset:
    if dataset is None:
        raise NotFound("Conjunto de dados não encontrado.", code="dataset-not-found")
    return dataset


def _make_refusal(place: list[str], message: str) -> Unprocessable:
    return Unprocessable(faults=[Fault(loc=["body", *place], msg=message, type="value_error")])


def _new_id() -> str:
    """Return an opaque id of 22 URL-safe characters."""
    return secrets.token_urlsafe(16)
