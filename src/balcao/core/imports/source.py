"""The sources of an import: a file of any size, which may be compressed or a table, or a stream that is read once."""

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple

from balcao.core.errors import Invalid
from balcao.core.imports.table import Table

LONGEST_LINE = 1024 * 1024
TOO_LONG = f"A linha tem mais de {LONGEST_LINE} bytes."
BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


class Record(NamedTuple):
    """A row of a file: JSON text or the cells of a table, or the reason why it cannot be read.

    `number` is the number of its first line. It starts at 1 and counts blank lines and the header.
    """

    number: int
    content: bytes | Sequence[Any]
    fault: str | None = None

    @property
    def is_blank(self) -> bool:
        """Whether the row has no value: its line is empty or contains only separators."""
        if self.fault is not None:
            return False
        if isinstance(self.content, bytes):
            return not self.content.strip()
        return all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in self.content)


class Source(ABC):
    """The rows of a file or stream.

    `offset` is a byte position from which `resume` continues. `sha256` is None for a stream, which cannot be resumed.
    """

    def __init__(self, raw: BinaryIO, *, size: int | None = None, sha256: bytes | None = None) -> None:
        self.raw, self.size, self.sha256 = raw, size, sha256
        self.offset = self.lines = 0
        self.table: Table | None = None

    @property
    def position(self) -> int:
        """How many bytes of the file on disk have been read, for comparison with `size`. 0 for a stream."""
        return self.raw.tell() if self.size else 0

    def take(self, count: int) -> list[Record]:
        """Return the next `count` rows, or fewer at the end of the file. Raises Invalid if the file is damaged."""
        taken: list[Record] = []
        try:
            while len(taken) < count and (record := self.read()) is not None:
                taken.append(record)
        except (OSError, EOFError, zlib.error):
            raise Invalid("O arquivo está danificado ou, se compactado, incompleto.", code="file-broken") from None
        return taken

    @abstractmethod
    def read(self) -> Record | None:
        """Return the next row, or None at the end."""

    @abstractmethod
    def resume(self, offset: int, lines: int) -> None:
        """Continue after this number of bytes and lines."""


class JsonLines(Source):
    """A file or stream with one JSON value on each line."""

    def __init__(self, raw: BinaryIO, *, size: int | None = None, sha256: bytes | None = None) -> None:
        super().__init__(raw, size=size, sha256=sha256)
        self._content = open_content(raw)

    def resume(self, offset: int, lines: int) -> None:
        """Continue at this position. In a compressed file, everything before the position is decompressed again."""
        self._content.seek(offset)
        self.offset, self.lines = offset, lines

    def read(self) -> Record | None:
        """Return the next line. A line that is too long is read to its end and rejected."""
        text = self._read()
        if not text:
            return None
        self.lines += 1
        last = text
        while len(last) >= LONGEST_LINE and not last.endswith(b"\n"):
            last = self._read()
        if last is not text:
            return Record(self.lines, b"", TOO_LONG)
        return Record(self.lines, text.removeprefix(BOM) if self.lines == 1 else text)

    def _read(self) -> bytes:
        text = self._content.readline(LONGEST_LINE)
        self.offset += len(text)
        return text


def open_content(raw: BinaryIO) -> BinaryIO:
    """Return the content of the file, decompressed if necessary."""
    peek = getattr(raw, "peek", None)  # streams in memory have no `peek` and are never compressed
    if peek is not None and peek(2).startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    return raw
