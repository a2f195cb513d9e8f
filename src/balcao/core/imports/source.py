"""Where the lines come from: a file of any size, also compressed or a table, or a stream that passes once."""

import gzip
import hashlib
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from balcao.core.errors import Invalid
from balcao.core.imports.table import UTF_8, Table, detect_encoding, is_whole

STANDARD_INPUT = Path("-")
LONGEST_LINE = 1024 * 1024
_GLANCE = 64
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TABLE = ".csv"


class Line(NamedTuple):
    """A line of a file; `text` is None when it is longer than is read. Numbers count from 1, blank lines included.

    A record of a table that has line breaks in its cells is one line under the number of its first.
    """

    number: int
    text: bytes | None


@dataclass
class Source:
    """A file or stream of lines; `offset` counts uncompressed bytes.

    `sha256` is None for a stream, which cannot be resumed. `table` is what a table's first line says.
    """

    raw: BinaryIO
    content: BinaryIO
    size: int | None = None
    sha256: bytes | None = None
    offset: int = 0
    lines: int = 0
    table: Table | None = None

    @property
    def position(self) -> int:
        """Return the position in the file as it lies there, to compare with `size`."""
        return self.raw.tell() if self.size else 0

    def refuse_other_forms(self) -> None:
        """Raise Invalid for a file that is no JSON Lines at all: each line would be refused, and none say why."""
        start = b""
        with suppress(OSError, EOFError, zlib.error):  # a damaged file is reported when its lines are read
            start = self.content.peek(_GLANCE)[:_GLANCE]  # type: ignore[attr-defined]  # both kinds of content have it
        if start.startswith(_UTF_16):
            raise Invalid("O arquivo está em UTF-16: salve-o em UTF-8.", code="file-broken")
        if start.removeprefix(_BOM).lstrip().startswith(b"["):
            reason = "O arquivo é uma lista JSON: escreva um objeto por linha, sem colchetes nem vírgulas entre eles"
            raise Invalid(f"{reason} (`jq -c '.[]'` faz isso).", code="file-broken")

    def read_header(self) -> None:
        """Take the first line as that of a table. Raises Invalid."""
        encoding = UTF_8
        with suppress(OSError, EOFError, zlib.error):  # a damaged file is reported when its lines are read
            encoding = detect_encoding(iter(self._read, b""))
        self.resume(0, 0)
        header = next(iter(self.take(1)), Line(1, None))
        self.table = Table.parse(header.text or b"", encoding)

    def resume(self, offset: int, lines: int) -> None:
        """Go on from there. A compressed file is read again up to there."""
        self.content.seek(offset)
        self.offset, self.lines = offset, lines

    def take(self, count: int) -> list[Line]:
        """Return those of the next `count` lines that are not blank; empty at the end only. Raises Invalid."""
        try:
            while taken := [line for line in (self._read_line() for _ in range(count)) if line is not None]:
                if found := [line for line in taken if line.text is None or line.text.strip()]:
                    return found
        except (OSError, EOFError, zlib.error):
            raise Invalid("O arquivo está danificado ou, se compactado, incompleto.", code="file-broken") from None
        return []

    def _read_line(self) -> Line | None:
        text = self._read()
        if not text:
            return None
        self.lines += 1
        first, whole = text, text.endswith(b"\n")
        while len(text) >= LONGEST_LINE and not whole and (text := self._read()):
            whole = text.endswith(b"\n")
        if len(first) >= LONGEST_LINE and not first.endswith(b"\n"):
            return Line(self.lines, None)
        if self.table is not None:
            return self._read_record(first)
        return Line(self.lines, first.removeprefix(_BOM) if self.lines == 1 else first)

    def _read_record(self, first: bytes) -> Line:
        """Return the record that begins with this line; one that grows beyond a line's length ends there."""
        number, parts, length = self.lines, [first], len(first)
        whole = is_whole(first)
        while not whole and length < LONGEST_LINE and (more := self._read()):
            self.lines += 1
            parts.append(more)
            length += len(more)
            whole = not is_whole(more)  # the quotes of both together are even
        return Line(number, b"".join(parts) if length < LONGEST_LINE else None)

    def _read(self) -> bytes:
        text = self.content.readline(LONGEST_LINE)
        self.offset += len(text)
        return text


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a file, or the standard input for `-`.

    Raises OSError when it cannot be read, Invalid for one of another form.
    """
    if path == STANDARD_INPUT:
        yield _open_lines(sys.stdin.buffer)
        return
    with path.open("rb") as raw:
        status = os.fstat(raw.fileno())
        if not stat.S_ISREG(status.st_mode):
            yield _open_lines(raw)
            return
        digest = hashlib.file_digest(raw, "sha256").digest()
        raw.seek(0)
        is_table = _TABLE in map(str.lower, path.suffixes)
        source = _make_source(raw) if is_table else _open_lines(raw)
        source.size, source.sha256 = status.st_size, digest
        if is_table:
            source.read_header()
        yield source


def _open_lines(raw: BinaryIO) -> Source:
    source = _make_source(raw)
    source.refuse_other_forms()
    return source


def _make_source(raw: BinaryIO) -> Source:
    compressed = raw.peek(2).startswith(_GZIP)  # type: ignore[attr-defined]  # a BufferedReader
    content: BinaryIO = gzip.GzipFile(fileobj=raw) if compressed else raw  # type: ignore[assignment]
    return Source(raw, content)
