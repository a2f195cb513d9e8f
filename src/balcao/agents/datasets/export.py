"""Export a data set as JSON Lines or CSV, page by page while the response is sent (rules: agents 2.3)."""

import csv
import io
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Literal

import msgspec

from balcao.agents.datasets import service, store
from balcao.agents.datasets.cursors import START
from balcao.agents.datasets.store import ExampleTexts
from balcao.core.context.call import Call

MEDIA_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
_MEMBERS = ("input", "output", "metadata")
# The number of examples that one statement reads. This is at most 19 MiB, because an example contains three objects of
# up to 64 KiB.
_PAGE = 100


async def export_dataset(call: Call, dataset_id: str, form: Literal["jsonl", "csv"]) -> AsyncGenerator[bytes, None]:
    """Return the file as an iterator of byte chunks. Raises NotFound before the first chunk.

    Each page is read on a new connection, so that a slow client does not occupy one between pages. Examples added
    during the export are included.
    """
    await service.require_dataset(call, dataset_id)
    encode = _encode_csv if form == "csv" else _encode_jsonl
    return _read_parts(call, dataset_id, encode, _write_csv([("id", *_MEMBERS)]) if form == "csv" else b"")


async def _read_parts(
    call: Call, dataset_id: str, encode: Callable[[Sequence[ExampleTexts]], bytes], head: bytes
) -> AsyncGenerator[bytes, None]:
    if head:
        yield head
    position = START
    while True:
        async with call.platform.database.connection() as connection:
            rows = await store.list_example_texts(connection, dataset_id, position, _PAGE)
        if not rows:
            return
        position = rows[-1].position
        yield encode(rows)


def _encode_jsonl(rows: Sequence[ExampleTexts]) -> bytes:
    lines = ({"id": row.id} | {name: msgspec.Raw(getattr(row, name).encode()) for name in _MEMBERS} for row in rows)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _encode_csv(rows: Sequence[ExampleTexts]) -> bytes:
    return _write_csv([(row.id, *(getattr(row, name) for name in _MEMBERS)) for row in rows])


def _write_csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
