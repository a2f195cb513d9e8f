"""Import data sets and examples from lines of JSON (rules: agents 3.3)."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.agents.datasets import service, store
from balcao.agents.datasets.incoming import DatasetCreation, ExampleCreation
from balcao.agents.datasets.schemas import DATASET_ID, Span
from balcao.agents.importing import AUTHOR, check_row
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, Unprocessable
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now

BATCH = 200

Id = Annotated[str, Meta(pattern=DATASET_ID)]


class DatasetRow(msgspec.Struct):
    """A data set from the previous system. Its id does not change."""

    id: Id
    name: str
    description: str = ""
    metadata: dict[str, Any] = {}
    created_at: Annotated[datetime, Meta(tz=True)] | None = None

    def __post_init__(self) -> None:
        """Validate the row by the rules for request bodies. Raises ValueError for the first fault."""
        self.name = self.name.strip()
        check_row({"name": self.name, "description": self.description, "metadata": self.metadata}, DatasetCreation)


class ExampleRow(msgspec.Struct):
    """An example from the previous system. Its id does not change."""

    dataset_id: Id
    id: Id
    input: dict[str, Any]
    output: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    span: Span | None = None

    def __post_init__(self) -> None:
        """Validate the row by the rules for request bodies. Raises ValueError for the first fault."""
        check_row(self.content, ExampleCreation)

    @property
    def content(self) -> dict[str, Any]:
        """The content that the example's hash and revision are computed from."""
        return {"input": self.input, "output": self.output, "metadata": self.metadata}


async def write_examples(connection: Connection, rows: Sequence[ExampleRow]) -> int:
    """Store the examples that are new or have changed. Return how many were stored.

    Lock order: data sets by id. No other transaction locks more than one data set.
    """
    ordered = sorted(rows, key=lambda row: row.dataset_id)
    return sum(
        [
            await _write_examples(connection, dataset_id, list(of_set))
            for dataset_id, of_set in groupby(ordered, key=lambda row: row.dataset_id)
        ]
    )


async def _write_examples(connection: Connection, dataset_id: str, rows: Sequence[ExampleRow]) -> int:
    dataset = await store.lock_dataset(connection, dataset_id)
    if dataset is None:
        raise Invalid("O campo `dataset_id`: não há conjunto de dados com este identificador.")
    known = await store.find_examples(connection, [row.id for row in rows])
    if any(example.dataset_id != dataset_id for example in known.values()):
        raise Invalid("O campo `id`: este identificador já é de um exemplo de outro conjunto.")
    written = [service.make_example_row(row.id, row.content, span=row.span) for row in rows]
    there = await store.find_living_ids(connection, dataset_id, [row.content_hash for row in written])
    new: dict[bytes, store.NewRow] = {}
    for row in written:
        if row.id not in known and row.content_hash not in there:
            new.setdefault(row.content_hash, row)
    changed = [
        row for row in written
        if row.id in known and not known[row.id].deleted and row.content_hash != known[row.id].content_hash
    ]  # fmt: skip
    try:
        service.require_dataset_capacity(dataset, len(new))
        for row in changed:
            await store.revise_example(connection, dataset_id, row, AUTHOR, utc_now())
    except Unprocessable as refused:
        raise Invalid(f"O exemplo não pode entrar: {refused.faults[0]['msg']}.") from None
    await store.add_examples(connection, dataset_id, list(new.values()), AUTHOR, utc_now())
    return len(new) + len(changed)


IMPORTS = [
    Import("datasets", DatasetRow, store.import_datasets, from_table=True, key=lambda row: row.id),
    Import("examples", ExampleRow, write_examples, batch=BATCH, key=lambda row: row.id),
]
