"""The report of refused lines: JSON Lines, one refusal each, written before the batch they stand in is committed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

import msgspec

from balcao.core.errors import Invalid
from balcao.core.imports.rows import Refused


class Report:
    """Writes refusals to a file of the operator's choice; without one they are only counted."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    @contextmanager
    def resume_after(self, line: int) -> Iterator["Report"]:
        """Open the report, cut off after this line; what a killed import wrote of later ones comes again.

        Raises Invalid when it cannot be written.
        """
        if self._path is None:
            yield self
            return
        with _open_after(self._path, line) as self._file:
            yield self

    def add(self, refused: Iterable[Refused]) -> None:
        """Write refusals, and flush them: the batch that they stand in is committed next."""
        if self._file is not None:
            self._file.writelines(msgspec.json.encode(one) + b"\n" for one in refused)
            self._file.flush()


def _open_after(path: Path, line: int) -> BinaryIO:
    """Open the file and cut off what stands after the refusals up to this line; they are in the order of the lines."""
    try:
        file = path.open("r+b" if line and path.exists() else "w+b")
    except OSError:
        raise Invalid(f"Não é possível gravar o relatório em {path}.", code="report-unwritable") from None
    length = sum(len(entry) for entry in takewhile(lambda entry: _parse_line(entry) <= line, file))
    file.seek(length)
    file.truncate()
    return file


def _parse_line(entry: bytes) -> float:
    """Return the number of the line that an entry refuses; an entry that a kill cut short stands after all others."""
    try:
        return msgspec.json.decode(entry, type=Refused).line
    except msgspec.MsgspecError:
        return float("inf")
