"""CSV files as spreadsheet programs write them, parsed according to the rules of Python's `csv` module.

A quoted cell may contain line breaks, so a stray quote could swallow the rest of the file. Therefore, a quote that
opens on one line and closes on a later line is accepted only if the lines together are one row of the table, and none
of the later lines is a valid row by itself. Otherwise the first line is rejected, and reading continues with the
second.
"""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from balcao.core.errors import Invalid
from balcao.core.imports.source import BOM, LONGEST_LINE, TOO_LONG, Record, Source, open_content
from balcao.core.imports.table import Table

UTF_8, WINDOWS_1252 = "utf-8", "windows-1252"
# The maximum number of line breaks in one row. It also bounds the cost of the search after a stray quote.
MOST_LINES = 1000
_CHUNK = 64 * 1024
_DELIMITERS = ",;\t"
_QUOTE = b'"'
_SEPARATOR = re.compile(r"sep=([^\w\s\"]|\t)", re.IGNORECASE)  # a line that Excel writes before the headings
_NUL = "\0"
_NO_TEXT = "A linha não é um registro CSV: um caractere não é da codificação do arquivo."
_STRAY_QUOTE = "A linha não é um registro CSV: confira as aspas."
_OTHER_WIDTH = "A linha não tem tantas colunas quanto a primeira linha do arquivo."

# Raise the default limit for one cell, 128 KiB, because it is lower than our limit for a line.
csv.field_size_limit(LONGEST_LINE)


class _Line(NamedTuple):
    """A line including its line break, and its length in the file. `text` is None if the line is too long."""

    text: bytes | None
    length: int


class Csv(Source):
    """A table in CSV. The first row that is not blank names the columns."""

    def __init__(self, raw: BinaryIO, *, size: int | None = None, sha256: bytes | None = None) -> None:
        """Read the header. Raises Invalid if it does not name the columns, or is neither UTF-8 nor Windows-1252."""
        super().__init__(raw, size=size, sha256=sha256)
        self._content = open_content(raw)
        self._returned: deque[_Line] = deque()
        self._lines = split_lines(self._content)
        self.encoding = UTF_8
        with suppress(OSError, EOFError):  # damage is reported when the rows are read
            self.encoding = detect_encoding(line.text or b"" for line in self._lines)
        self.resume(0, 0)
        self.table, self._delimiter, self._width = self._read_header()

    def resume(self, offset: int, lines: int) -> None:
        """Continue at this position. In a compressed file, everything before the position is decompressed again."""
        self._content.seek(offset)
        self._returned.clear()
        self._lines = split_lines(self._content)
        self.offset, self.lines = offset, lines

    def read(self) -> Record | None:
        """Return the cells of the next row, or None at the end."""
        first = self._next()
        if first is None:
            return None
        number = self.lines
        if first.text is None:
            return Record(number, [], TOO_LONG)
        if _QUOTE not in first.text:
            try:
                return self._check_width(number, split(first.text.decode(self.encoding), self._delimiter))
            except (UnicodeDecodeError, csv.Error):
                return Record(number, [], _NO_TEXT)
        return self._read_quoted(number, first)

    def _read_quoted(self, number: int, first: _Line) -> Record:
        """Return the row that starts with this line. It may span several lines."""
        ahead: list[_Line] = []
        try:
            cells = next(csv.reader(self._feed(first, ahead), delimiter=self._delimiter, strict=True))
        except UnicodeDecodeError:
            fault = _NO_TEXT if not ahead else _STRAY_QUOTE
        except csv.Error:
            fault = _STRAY_QUOTE
        else:
            record = self._check_width(number, cells)
            if not ahead or (record.fault is None and not any(map(self._is_row, ahead))):
                return record
            fault = _STRAY_QUOTE
        self._give_back(ahead)
        return Record(number, [], fault)

    def _feed(self, first: _Line, ahead: list[_Line]) -> Iterator[str]:
        """Yield this line and the following lines, up to the maximum size of a row.

        The following lines are also added to `ahead`.
        """
        line, length = first, first.length
        while line.text is not None and length <= LONGEST_LINE:
            yield line.text.decode(self.encoding)
            if len(ahead) == MOST_LINES or (following := self._next()) is None:
                return
            line, length = following, length + following.length
            ahead.append(line)

    def _is_row(self, line: _Line) -> bool:
        """Return whether the line by itself is a valid row of the table."""
        assert self.table is not None
        try:
            cells = split((line.text or b"").decode(self.encoding), self._delimiter)
        except (UnicodeDecodeError, csv.Error):
            return False
        record = self._check_width(0, cells)
        return record.fault is None and not record.is_blank and self.table.is_row(record.content)

    def _check_width(self, number: int, cells: list[str]) -> Record:
        """Return the cells in the named columns.

        The row is rejected if a further cell has no column and is not blank.
        """
        assert self.table is not None
        named = len(self.table.members)
        record = Record(number, cells[:named])
        fits = len(cells) >= named and not any(cell.strip() for cell in cells[self._width :])
        return record if fits or Record(number, cells).is_blank else Record(number, [], _OTHER_WIDTH)

    def _read_header(self) -> tuple[Table, str, int]:
        """Read the header.

        Return the table, its delimiter, and the number of its columns, even those without a heading.
        """
        delimiters: Iterable[str] = _DELIMITERS
        while (line := self._next()) is not None:
            text = self._decode_heading(line)
            if declared := _SEPARATOR.fullmatch(text.rstrip("\r\n")):
                delimiters = declared[1]
                continue
            headings = {delimiter: _split_headings(text, delimiter) for delimiter in delimiters}
            delimiter = max(headings, key=lambda each: len(headings[each]))
            if text.strip(f"{delimiter} \r\n"):
                return Table.parse(headings[delimiter]), delimiter, len(headings[delimiter])
        return Table.parse([]), _DELIMITERS[0], 0

    def _decode_heading(self, line: _Line) -> str:
        """Return the text of a line before the first row. Raises Invalid if it is neither UTF-8 nor Windows-1252."""
        raw = (line.text or b"").removeprefix(BOM if self.lines == 1 else b"")
        try:
            text = raw.decode(self.encoding)
        except UnicodeDecodeError:
            text = _NUL
        if _NUL in text:  # UTF-16 without a byte order mark
            raise Invalid("O arquivo CSV não está em UTF-8 nem em Windows-1252.", code="file-broken")
        return text

    def _next(self) -> _Line | None:
        line = self._returned.popleft() if self._returned else next(self._lines, None)
        if line is not None:
            self.offset += line.length
            self.lines += 1
        return line

    def _give_back(self, lines: list[_Line]) -> None:
        """Push back the last lines read, so that they are read again."""
        self._returned.extendleft(reversed(lines))
        self.lines -= len(lines)
        self.offset -= sum(line.length for line in lines)


def split_lines(content: BinaryIO) -> Iterator[_Line]:
    """Yield the lines, whether they end with LF, CRLF or CR."""
    rest, dropped = b"", 0
    while chunk := content.read(_CHUNK):
        # The last piece may continue in the next chunk. If it ends with CR, the next chunk may start with the LF of a
        # CRLF.
        *whole, rest = (rest + chunk).splitlines(keepends=True)
        for line in whole:
            length = dropped + len(line)
            yield _Line(line if length <= LONGEST_LINE else None, length)
            dropped = 0
        if len(rest) > LONGEST_LINE:
            # Retain the last byte, which may be the CR of a CRLF.
            dropped, rest = dropped + len(rest) - 1, rest[-1:]
    if rest:
        length = dropped + len(rest)
        yield _Line(rest if length <= LONGEST_LINE else None, length)


def split(text: str, delimiter: str) -> list[str]:
    """Return the cells of one line. Raises csv.Error if the quotes in the line are malformed."""
    return next(csv.reader([text], delimiter=delimiter, strict=True), [])


def _split_headings(text: str, delimiter: str) -> list[str]:
    try:
        return split(text, delimiter)
    except csv.Error:
        return []


def detect_encoding(lines: Iterable[bytes]) -> str:
    """Return the encoding of a table.

    It is Windows-1252 if there are lines with non-ASCII characters and none of them is UTF-8. A UTF-8 file with a
    broken line stays UTF-8, and only that line is rejected.
    """
    is_utf8 = True
    for line in lines:
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                is_utf8 = False
            else:
                return UTF_8
    return UTF_8 if is_utf8 else WINDOWS_1252
