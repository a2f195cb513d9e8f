"""The report of rejected lines, as JSON Lines. Entries are written before their batch is committed."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

import msgspec

from balcao.core.errors import Invalid
from balcao.core.imports.rows import Refused


class Report:
    """Writes rejected lines to a file that the operator chose. Without a file, the lines are only counted."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    @contextmanager
    def resume_after(self, line: int) -> Iterator["Report"]:
        """Open the report and remove the entries for lines after this one.

        The resumed import will report those lines again. Raises Invalid if the file cannot be written.
        """
        if self._path is None:
            yield self
            return
        with _open_after(self._path, line) as self._file:
            yield self

    def add(self, refused: Iterable[Refused]) -> None:
        """Write entries to the disk. Call this before their batch is committed.

        A resumed import does not report the lines of a committed batch again, even after a power failure.
        """
        entries = b"".join(msgspec.json.encode(one) + b"\n" for one in refused)
        if self._file is None or not entries:
            return
        self._file.write(entries)
        self._file.flush()
        os.fsync(self._file.fileno())


def _open_after(path: Path, line: int) -> BinaryIO:
    """Open the file, and remove the entries for lines after this one. The entries are sorted by line."""
    try:
        file = path.open("r+b" if line and path.exists() else "w+b")
    except OSError:
        raise Invalid(f"Não é possível gravar o relatório em {path}.", code="report-unwritable") from None
    length = sum(len(entry) for entry in takewhile(lambda entry: _parse_line(entry) <= line, file))
    file.seek(length)
    file.truncate()
    return file


def _parse_line(entry: bytes) -> float:
    """Return the line number of an entry. If a kill has truncated the entry, return infinity, so that it is removed."""
    try:
        return msgspec.json.decode(entry, type=Refused).line
    except msgspec.MsgspecError:
        return float("inf")
