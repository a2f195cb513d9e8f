"""Files in a folder on this machine. All processes that use it must run on this machine, or mount the same disk."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path

from balcao.core.files.storage import FileStorage, StorageDown
from balcao.core.logs import log

_PRIVATE = 0o700
# The ending of a file that is being written. When it is complete, it gets its final name.
_PART = ".part"


class FolderStorage(FileStorage):
    """Files in 256 folders, by the last two digits of the file's name.

    Only the user who runs the processes can read them.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    async def write(self, name: str, content: bytes) -> None:
        """Store a new file. Fsync the file and its folder before returning."""
        try:
            await asyncio.to_thread(self._write, name, content)
        except OSError as fault:
            raise _report(fault) from fault

    async def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is no such file."""
        try:
            return await asyncio.to_thread(self.locate(name).read_bytes)
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise _report(fault) from fault

    async def delete(self, name: str) -> None:
        """Delete a file, if it exists."""
        try:
            await asyncio.to_thread(self.locate(name).unlink, missing_ok=True)
        except OSError as fault:
            raise _report(fault) from fault

    async def list_older(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield the names of the files written before the instant, folder by folder.

        Delete partial files of that age.
        """
        try:
            for folder in await asyncio.to_thread(self._list_folders):
                yield await asyncio.to_thread(lambda: list(_list_older(folder, before.timestamp())))  # noqa: B023
        except OSError as fault:
            raise _report(fault) from fault

    async def check(self) -> None:
        """Raise `StorageDown` if the processes may not write to the folder.

        If the folder does not exist yet, check that it can be created.
        """
        present = next(path for path in (self.root, *self.root.parents) if path.exists())
        if not os.access(present, os.W_OK | os.X_OK):
            raise StorageDown

    def locate(self, name: str) -> Path:
        """Return the path for this file name. The file need not exist."""
        return self.root / name[-2:] / name

    def _list_folders(self) -> list[Path]:
        return sorted(self.root.iterdir()) if self.root.exists() else []

    def _write(self, name: str, content: bytes) -> None:
        place = self.locate(name)
        if not place.parent.exists():
            self._make_folder(place.parent)
        descriptor, created = tempfile.mkstemp(_PART, f"{name}.", place.parent)
        part = Path(created)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.rename(place)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        _sync_folder(place.parent)

    def _make_folder(self, folder: Path) -> None:
        self.root.mkdir(_PRIVATE, parents=True, exist_ok=True)
        folder.mkdir(_PRIVATE, exist_ok=True)
        _sync_folder(self.root)
        _sync_folder(self.root.parent)


def _list_older(folder: Path, before: float) -> Iterator[str]:
    for entry in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):  # another process has just deleted it
            if entry.stat().st_mtime >= before:
                continue
            if entry.name.endswith(_PART):
                Path(entry).unlink()
            else:
                yield entry.name


def _sync_folder(folder: Path) -> None:
    """Fsync a folder. Without this, a new file may disappear from its folder in a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _report(fault: OSError) -> StorageDown:
    log.error("files.storage_failed", code=fault.strerror)
    return StorageDown()
