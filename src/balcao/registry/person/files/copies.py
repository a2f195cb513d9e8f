"""Back up files next to the database backups, and restore them (docs/operate/backup.md).

`files` contains every file that has a row. `files-deleted` contains files whose row was deleted. They are retained
while a database backup may still need them, because restoring it to an earlier instant also restores the row.
"""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Database
from balcao.core.files.folder import FolderStorage
from balcao.core.files.storage import FileStorage
from balcao.core.values.clock import utc_now
from balcao.core.values.ids import parse_uuid
from balcao.registry.person.files import store
from balcao.registry.person.files.store import StoredFile

CURRENT, DELETED = "files", "files-deleted"
FIRST = datetime(1970, 1, 1, tzinfo=UTC)
# Each call checks this much time again, because a row may be committed some time after its `created_at`, even after
# newer rows.
_OVERLAP = timedelta(minutes=10)
_PAGE = 1_000  # rows in memory at a time
_MOST_MISSING = 10_000  # if more contents are missing, the storage is broken, and each call checks all files again
# Ignore copies younger than this, because a concurrent command may have written them after the rows were read.
_SETTLED = timedelta(hours=1)


class CopiedFiles(NamedTuple):
    """The number of new copies, and the number of files whose content is missing from the storage."""

    copied: int
    missing: int


class RestoredFiles(NamedTuple):
    """The number of restored files, and the number of files that are missing from both the storage and the copies."""

    restored: int
    lost: int


class FileCopies:
    """The copies of files in a backup folder, and the storage that contains the originals."""

    def __init__(self, database: Database, storage: FileStorage, folder: Path) -> None:
        self._database = database
        self._storage = storage
        self._current = FolderStorage(folder / CURRENT)
        self._deleted = FolderStorage(folder / DELETED)
        self._seen = FIRST
        self._missing: dict[UUID, StoredFile] = {}

    async def copy_new(self) -> CopiedFiles:
        """Copy the files that do not have a copy yet.

        After the first call, check only files stored since the last call, and those whose content was missing.

        Raises StorageDown if the storage or the folder fails.
        """
        now = utc_now()
        copied, missing, count = 0, dict[UUID, StoredFile](), 0
        async for files in self._list_unchecked():
            lost = []
            for file in files:
                is_copied = await self._copy(file)
                copied += is_copied is True
                if is_copied is False:
                    lost.append(file)
            orphans = set(await self._find_orphans([file.id for file in lost]))
            lost = [file for file in lost if file.id not in orphans]
            count += len(lost)
            missing |= {file.id: file for file in lost[: _MOST_MISSING - len(missing)]}
        self._missing = missing
        self._seen = now - _OVERLAP if count == len(missing) else FIRST
        return CopiedFiles(copied, count)

    async def _list_unchecked(self) -> AsyncIterator[Sequence[StoredFile]]:
        known = self._missing
        yield [*known.values()]
        async for files in self._list_stored(self._seen):
            yield [file for file in files if file.id not in known]

    async def _copy(self, file: StoredFile) -> bool | None:
        """Return whether the file was copied, or None if it already has a copy."""
        if await asyncio.to_thread(self._current.locate(str(file.id)).exists):
            return None
        content = await self._storage.read(str(file.id))
        if content is None or hashlib.sha256(content).digest() != file.digest:
            return False
        await self._current.write(str(file.id), content)
        return True

    async def set_deleted_aside(self) -> int:
        """Move the copies of files whose row was deleted to `files-deleted`. Return how many were moved."""
        moved = 0
        async for names in self._current.list_older(utc_now() - _SETTLED):
            for orphan in await self._find_orphans([id for name in names if (id := parse_uuid(name)) is not None]):
                await asyncio.to_thread(self._set_aside, str(orphan))
                moved += 1
        return moved

    async def forget_deleted(self, before: datetime) -> int:
        """Delete the copies that were moved to `files-deleted` before this instant. Return how many were deleted."""
        forgotten = 0
        async for names in self._deleted.list_older(before):
            for name in names:
                await self._deleted.delete(name)
                forgotten += 1
        return forgotten

    async def restore(self) -> RestoredFiles:
        """Restore the content of files that have a row but no content.

        The copy's digest must equal the one in the row.
        """
        present = {name async for names in self._storage.list_older(utc_now() + timedelta(days=1)) for name in names}
        restored = lost = 0
        async for files in self._list_stored(FIRST):
            for file in files:
                if str(file.id) in present:
                    continue
                content = await self._current.read(str(file.id)) or await self._deleted.read(str(file.id))
                if content is None or hashlib.sha256(content).digest() != file.digest:
                    lost += 1
                    continue
                await self._storage.write(str(file.id), content)
                restored += 1
        return RestoredFiles(restored, lost)

    async def _list_stored(self, since: datetime) -> AsyncIterator[Sequence[StoredFile]]:
        """Yield the files stored after an instant in pages, oldest first."""
        after = UUID(int=0)
        while True:
            async with self._database.connection() as connection:
                files = await store.list_stored_files(connection, since, after, _PAGE)
            yield files
            if len(files) < _PAGE:
                return
            since, after = files[-1].created_at, files[-1].id

    async def _find_orphans(self, ids: Sequence[UUID]) -> list[UUID]:
        async with self._database.connection() as connection:
            return await store.find_orphans(connection, ids) if ids else []

    def _set_aside(self, name: str) -> None:
        place = self._deleted.locate(name)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._current.locate(name).rename(place)
        os.utime(place)  # the modification time records when the copy was moved


def give_to_owner(folder: Path) -> None:
    """Give restored files to the owner of the data folder. A restore runs as root, but the processes do not."""
    if os.geteuid() != 0 or not (folder / "files").exists():
        return
    owner = folder.stat()
    for path in (folder / "files", *(folder / "files").rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)
