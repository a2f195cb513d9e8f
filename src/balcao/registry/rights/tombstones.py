"""The tombstones of erased people, in a file next to the backups.

The file is needed because restoring an older backup also restores erased data. It is not encrypted, but only its owner
may read it. The same is true for the backups, which contain the same data.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from balcao.core.context.audit import HashKey
from balcao.core.database.pool import Database
from balcao.registry.mirror.store import list_tombstones
from balcao.registry.rights import store

NAME = "erased.jsonl"


class Tombstone(msgspec.Struct, frozen=True):
    """An erased person. `at` is the end of the erased period.

    `asked` means that the erasure was requested on the platform, not reported by the CRM.
    """

    cpf: str
    at: datetime
    asked: bool


async def note_tombstones(database: Database, key: HashKey, folder: Path) -> None:
    """Append the tombstones that the file does not contain yet. No tombstone is ever removed from the file."""
    known = {(each.cpf, each.at) for each in read_tombstones(folder)}
    async with database.connection() as connection:
        standing = await list_tombstones(connection)
        fresh = {key.hash_cpf(cpf) or b"": (cpf, at) for cpf, at in standing if (cpf.digits, at) not in known}
        asked = await store.list_anonymised_subjects(connection, list(fresh)) if fresh else set()
    if fresh:
        _append(folder / NAME, [Tombstone(cpf.digits, at, subject in asked) for subject, (cpf, at) in fresh.items()])


def _append(file: Path, fresh: Sequence[Tombstone]) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, b"".join(b"\n" + msgspec.json.encode(each) for each in fresh))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_tombstones(folder: Path) -> list[Tombstone]:
    """Return the tombstones in the folder's file.

    Skip a line that a full disk truncated, because it will be written again.
    """
    if not (folder / NAME).exists():
        return []
    lines = (folder / NAME).read_bytes().split(b"\n")
    return [msgspec.json.decode(line, type=Tombstone) for line in lines if line.endswith(b"}")]


def find_latest_tombstones(tombstones: Sequence[Tombstone]) -> list[Tombstone]:
    """Return each person's newest tombstone. `asked` is true if it is true for any of the person's tombstones."""
    found: dict[str, Tombstone] = {}
    for each in sorted(tombstones, key=lambda tombstone: tombstone.at):
        earlier = found.get(each.cpf)
        found[each.cpf] = Tombstone(each.cpf, each.at, each.asked or (earlier is not None and earlier.asked))
    return list(found.values())
