"""Export one service: write its rows to a folder as encrypted parts. A killed export can be resumed.

Rows are written to the disk only in encrypted form. A run reads one snapshot of the database. If it is killed, the next
run continues after the last complete part in a new snapshot. The manifest records the snapshot of each part.
"""

import gzip
import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from joserfc.errors import JoseError

from balcao import __version__
from balcao.core.context import sealing as secrets
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.core.exports import folder as folders
from balcao.core.exports import store
from balcao.core.exports.declaration import Export
from balcao.core.exports.folder import Manifest, Part
from balcao.core.exports.sealing import Recipient, encrypt, parse_recipients

# The size of a part before compression. It limits the memory of the process, and the work that is lost if it is killed.
PART_BYTES = 32 * 1024 * 1024
_COMPRESSION = 6
_SEAL = "export-cursor"

# A function that is called after each part, with its kind and the number of exported lines of that kind.
OnProgress = Callable[[str, int], None]


@dataclass(frozen=True)
class Order:
    """The data to export, and the public keys for which they are encrypted.

    `restart` discards an unfinished or earlier export.
    """

    service: str
    exports: Sequence[Export]
    recipients: Sequence[str]
    restart: bool = False
    part_bytes: int = PART_BYTES


class _Cursor(msgspec.Struct, frozen=True):
    """The kind and key after which an export continues. Without a kind, nothing is left to export."""

    kind: str | None
    after: list[str] = []


async def run_export(call: Call, folder: Path, order: Order, on_progress: OnProgress) -> Manifest:
    """Export a service, or resume a killed export, and return the manifest.

    Raises Invalid if a recipient is not a public key or the manifest is damaged. Raises Conflict if the folder is in
    use, or if it contains other files or an export that this one cannot continue.
    """
    recipients = parse_recipients(order.recipients)
    with folders.hold_folder(folder):
        manifest, cursor = _open(call, folder, order)
        async with call.platform.database.transaction() as connection:
            await call.platform.audit.record(connection, call, "export", fields=[f"export:{order.service}"])
        database = call.platform.database.separate_pool(1)
        await database.open()
        try:
            async with database.transaction(isolation="repeatable_read") as connection:
                manifest.snapshots.append(await store.read_snapshot_time(connection))
                writer = _Writer(call, folder, order, manifest, recipients, on_progress)
                await _export_kinds(call.platform, connection, order.exports, writer, cursor)
        finally:
            await database.close()
        manifest.complete, manifest.cursor = True, None
        folders.write_manifest(folder, manifest)
    return manifest


def _open(call: Call, folder: Path, order: Order) -> tuple[Manifest, _Cursor | None]:
    """Return the manifest to continue with, and the position to continue from. The position is None at the start.

    Raises Conflict if the folder contains other files, a complete export, or an export that this one cannot continue.
    """
    fresh = Manifest(
        service=order.service,
        version=__version__,
        recipients=sorted(order.recipients),
        kinds=[export.kind for export in order.exports],
    )
    found = folders.read_manifest(folder)
    if found is None:
        folders.require_empty(folder)
    if found is None or order.restart:
        folders.write_manifest(folder, fresh)
        folders.delete_strays(folder, fresh)
        return fresh, None
    if found.complete:
        raise Conflict(f"A exportação em {folder} está completa: indique outra pasta, ou recomece com --restart.")
    if (found.service, found.version, found.recipients, found.kinds) != (
        fresh.service, fresh.version, fresh.recipients, fresh.kinds,
    ):  # fmt: skip
        raise Conflict(
            f"Em {folder} há uma exportação incompleta de outro serviço, destinatário ou versão do programa: indique "
            "outra pasta, ou recomece com --restart."
        )
    cursor = _unseal(call, found)
    folders.delete_strays(folder, found)
    return found, cursor


def _unseal(call: Call, manifest: Manifest) -> _Cursor | None:
    """Return the position to continue from, or None to start at the beginning.

    Raises Conflict if its sealing key is unknown.
    """
    if manifest.cursor is None:
        return None
    try:
        return msgspec.json.decode(secrets.unseal_text(call.platform.audit.keys, _SEAL, manifest.cursor), type=_Cursor)
    except JoseError:
        raise Conflict(
            "A exportação foi começada com outra BALCAO_HASH_KEY: inclua-a em BALCAO_FORMER_HASH_KEYS, ou recomece com "
            "--restart."
        ) from None


async def _export_kinds(
    platform: Platform, connection: Connection, exports: Sequence[Export], writer: "_Writer", cursor: _Cursor | None
) -> None:
    kinds = [export.kind for export in exports]
    at = _Cursor(kinds[0]) if cursor is None else cursor
    for export in exports[kinds.index(at.kind) :] if at.kind else ():
        after = at.after if at.kind == export.kind else []
        rows = export.rows if not callable(export.rows) else await export.rows(connection)
        writer.begin(export.kind)
        async for line in store.iterate_lines(connection, rows, after):
            writer.add(line._replace(text=await export.complete(platform, line.text)) if export.complete else line)
        writer.end()


class _Writer:
    """A writer that collects the lines of a kind and writes them as parts. A kind without rows gets one empty part."""

    def __init__(
        self,
        call: Call,
        folder: Path,
        order: Order,
        manifest: Manifest,
        recipients: Sequence[Recipient],
        on_progress: OnProgress,
    ) -> None:
        self._key = call.platform.audit.key
        self._folder, self._manifest, self._recipients = folder, manifest, recipients
        self._part_bytes, self._on_progress = order.part_bytes, on_progress

    def begin(self, kind: str) -> None:
        """Start a kind, or continue it."""
        self._kind = kind
        before = [part for part in self._manifest.parts if part.kind == kind]
        self._number, self._lines_before = len(before), sum(part.lines for part in before)
        self._clear()

    def _clear(self) -> None:
        self._buffer = io.BytesIO()
        # Without a modification time, equal lines are compressed to equal bytes.
        self._compressed = gzip.GzipFile(fileobj=self._buffer, mode="wb", compresslevel=_COMPRESSION, mtime=0)
        self._hash, self._lines, self._bytes = hashlib.sha256(), 0, 0

    def add(self, line: store.Line) -> None:
        """Add a line, and write the part if it is full."""
        content = line.text.encode() + b"\n"
        self._compressed.write(content)
        self._hash.update(content)
        self._lines += 1
        self._bytes += len(content)
        if self._bytes >= self._part_bytes:
            self._write(line.key)

    def end(self) -> None:
        """Write the remaining lines of the kind."""
        if self._lines or not self._number:
            self._write(None)

    def _write(self, after: list[str] | None) -> None:
        """Write the part, then record it in the manifest, together with the position from which to continue.

        `after` is the last key of the part. None means that the export continues with the next kind.
        """
        self._compressed.close()
        self._number += 1
        content = encrypt(self._buffer.getvalue(), self._recipients)
        name = f"{self._kind}-{self._number:06}{folders.SUFFIX}"
        sha256 = folders.write_part(self._folder, name, content)
        manifest = self._manifest
        manifest.parts.append(
            Part(
                file=name,
                kind=self._kind,
                lines=self._lines,
                bytes=len(content),
                sha256=sha256,
                lines_sha256=self._hash.hexdigest(),
                snapshot=len(manifest.snapshots),
            )
        )
        manifest.cursor = self._seal_cursor(after)
        folders.write_manifest(self._folder, manifest)
        self._lines_before += self._lines
        self._on_progress(self._kind, self._lines_before)
        self._clear()

    def _seal_cursor(self, after: list[str] | None) -> str:
        following = [*self._manifest.kinds, None]
        next_kind = following[following.index(self._kind) + 1]
        cursor = _Cursor(next_kind) if after is None else _Cursor(self._kind, after)
        return secrets.seal_text(self._key, _SEAL, msgspec.json.encode(cursor).decode())
