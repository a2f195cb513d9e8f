"""The index folder of a host: one process writes, all processes read (rules: search 4.6, index).

The folder contains one folder for each generation of the index, and the file `current`, which names the generation to
read. A rebuild writes a new generation and then replaces `current`, so readers never see an incomplete index.
"""

import fcntl
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from balcao.core.logs import log
from balcao.search.index.reader import ServiceIndex
from balcao.search.index.schema import REVISION

# After this time, readers that opened a former generation have finished their requests.
KEEP_FORMER_SECONDS = 60.0
_CURRENT = "current"
_LOCK = "writer.lock"
# Tantivy replaces this file with every commit.
_COMMITTED = "meta.json"


class IndexFolder:
    """The folder for one database and one revision of the program."""

    def __init__(self, data_dir: Path, database_url: str) -> None:
        address = urlsplit(database_url)  # a new password does not change the database
        # `address.port` would fail for an address with several servers.
        database = f"{address.netloc.rpartition('@')[2]}{address.path}?{address.query}"
        self._database = hashlib.sha256(database.encode()).hexdigest()[:16]
        self.path = data_dir / "search" / f"{self._database}-{REVISION}"

    @contextmanager
    def claim(self) -> Iterator[bool]:
        """Try to become the writer of this host until the block ends. The kernel frees the lock of a killed process."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(file)

    def find_current(self) -> Path | None:
        """Return the folder of the current generation, or None if no generation has been published."""
        try:
            return self.path / (self.path / _CURRENT).read_text()
        except OSError:
            return None

    def make_generation(self) -> Path:
        """Create an empty folder for a new generation. Only the writer calls this."""
        folder = self.path / uuid.uuid4().hex
        folder.mkdir()
        return folder

    def publish(self, generation: Path) -> None:
        """Make a complete generation the current one."""
        new = self.path / f"{_CURRENT}.new"
        new.write_text(generation.name)
        new.replace(self.path / _CURRENT)

    def discard(self, generation: Path) -> None:
        """Delete a generation unless it is the current one. Only the writer calls this."""
        if generation != self.find_current():
            shutil.rmtree(generation, ignore_errors=True)

    def remove_former(self) -> None:
        """Delete generations and revisions that no process uses any more.

        Only the writer calls this, and never during a build.
        """
        for folder in self.path.parent.glob(f"{self._database}-*"):
            if int(folder.name.rpartition("-")[2]) < REVISION and _is_unused(folder):
                shutil.rmtree(folder, ignore_errors=True)
        current = self.find_current()
        for folder in self.path.iterdir():
            if not folder.is_dir() or folder == current:
                continue
            with suppress(FileNotFoundError):
                if time.time() - folder.stat().st_mtime > KEEP_FORMER_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)


def _is_unused(folder: Path) -> bool:
    """Return whether no process of an earlier release still writes to the folder."""
    with suppress(OSError), (folder / _LOCK).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


class IndexReader:
    """The reader of this process. Each `read` checks for a newer commit, which costs two file lookups."""

    def __init__(self, folder: IndexFolder) -> None:
        self._folder = folder
        # Build the path only once, because every search uses it.
        self._current = folder.path / _CURRENT
        self._committed: Path | None = None
        self._index: ServiceIndex | None = None
        self._seen: tuple[int, ...] = ()
        self._generation: Path | None = None

    @property
    def version(self) -> tuple[int, ...]:
        """The id of the commit that the last `read` returned."""
        return self._seen

    def read(self) -> ServiceIndex | None:
        """Return the index with its newest commit, or None if there is no index."""
        seen = self._look()
        if seen != self._seen:
            self._open()
            self._seen = seen
        return self._index

    def _look(self) -> tuple[int, ...]:
        try:
            current = self._current.stat()
        except OSError:  # no index yet, or a folder that cannot be read
            return ()
        seen = current.st_ino, current.st_mtime_ns
        if self._committed is None:
            return seen
        try:
            committed = self._committed.stat()
        except OSError:  # the generation was deleted; the writer replaces it
            return seen
        return *seen, committed.st_ino, committed.st_mtime_ns

    def _open(self) -> None:
        generation = self._folder.find_current()
        try:
            if generation is not None and generation == self._generation and self._index is not None:
                self._index.reload()
            else:
                self._index = None if generation is None else ServiceIndex.open(generation)
        except ValueError as damage:
            # The writer replaces a damaged generation. Until then, keep the index that was read before.
            log.warning("search.index_damaged", detail=str(damage)[:200])
        self._generation = generation
        self._committed = None if generation is None else generation / _COMMITTED
