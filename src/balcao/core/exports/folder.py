"""The folder of an export: encrypted parts, and a manifest that lists complete parts.

All files are safe to copy. The manifest lists a part only after the part is on the disk. Files that it does not list
are ignored.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from balcao.core.errors import Conflict, Invalid

MANIFEST = "manifest.json"
SUFFIX = ".jsonl.gz.age"
_FORMAT = "balcao-export/1"
_UNFINISHED = ".unfinished"


class Part(msgspec.Struct, frozen=True):
    """A part: a file with lines of one kind.

    `sha256` is the hash of the file, `lines_sha256` the hash of the lines in it. `snapshot` is the number, from 1, of
    the item in the manifest's `snapshots` from which the lines were read.
    """

    file: str
    kind: str
    lines: int
    bytes: int
    sha256: str
    lines_sha256: str
    snapshot: int


class Manifest(msgspec.Struct, kw_only=True):
    """The content of an export. `cursor` is the sealed position of an unfinished export, otherwise None."""

    format: str = _FORMAT
    service: str
    version: str
    recipients: list[str]
    kinds: list[str]
    snapshots: list[datetime] = []
    parts: list[Part] = []
    complete: bool = False
    cursor: str | None = None

    def count_lines(self) -> dict[str, int]:
        """Return the number of lines of each kind."""
        return {kind: sum(part.lines for part in self.parts if part.kind == kind) for kind in self.kinds}


def read_manifest(folder: Path) -> Manifest | None:
    """Return the folder's manifest, or None if it has none. Raises Invalid if the file is not a manifest."""
    try:
        content = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return None
    with suppress(msgspec.MsgspecError):
        found = msgspec.json.decode(content, type=Manifest)
        if found.format == _FORMAT:
            return found
    raise Invalid(f"{folder / MANIFEST} não é o manifesto de uma exportação deste programa.")


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Create the folder with access only for this user, and lock it against other exports.

    Raises Conflict if another export uses the folder, or OSError if it cannot be created.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Conflict(f"Outra exportação grava em {folder} agora.") from None
    try:
        yield
    finally:
        os.close(descriptor)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically."""
    _write(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))


def write_part(folder: Path, file: str, content: bytes) -> str:
    """Write a part, and return the SHA-256 of the file."""
    _write(folder / file, content)
    return hashlib.sha256(content).hexdigest()


def require_empty(folder: Path) -> None:
    """Raise Conflict if the folder contains any files except leftovers of an interrupted write."""
    if any(file.suffix != _UNFINISHED for file in folder.iterdir()):
        raise Conflict(f"A pasta {folder} não está vazia e não tem uma exportação: indique outra.")


def delete_strays(folder: Path, manifest: Manifest) -> None:
    """Delete parts that are not in the manifest: parts of an earlier export, or parts written just before a kill."""
    known = {part.file for part in manifest.parts}
    for file in [*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{_UNFINISHED}")]:
        if file.name not in known:
            file.unlink()


def _write(file: Path, content: bytes) -> None:
    # Write to another name, flush, rename, and flush the folder, so that a crash leaves either the old or the complete
    # new file.
    unfinished = file.with_name(file.name + _UNFINISHED)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
