"""Spreadsheets in Office Open XML (.xlsx), read as a stream.

A small file can unpack to a huge one, so all parts are read and measured once before the library opens the file.
"""

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO
from xml.parsers import expat

from openpyxl import load_workbook

from balcao.core.errors import Invalid
from balcao.core.imports.source import Record, Source
from balcao.core.imports.table import Table

ZIP = b"PK\x03\x04"
MOST_BYTES = 64 * 1024 * 1024
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1024
NO_SPREADSHEET = "O arquivo é um ZIP: extraia-o, ou indique a planilha .xlsx pelo nome, sem compactar."
_CHUNK = 64 * 1024
_TYPES, _FOLDER = "[Content_Types].xml", "xl/"
_BROKEN = "A planilha está danificada ou tem senha: abra-a e salve-a de novo como .xlsx."

# Ignore the library's warnings about parts that it does not read, such as conditional formatting. No import needs these
# parts.
warnings.filterwarnings("ignore", module=r"openpyxl\.")


class Spreadsheet(Source):
    """The first sheet of a file. The first row that is not blank names the columns."""

    def __init__(self, raw: BinaryIO, *, size: int | None = None, sha256: bytes | None = None) -> None:
        """Read the header.

        Raises Invalid if the file is damaged, too large or not a spreadsheet, or if it does not name the columns.
        """
        super().__init__(raw, size=size, sha256=sha256)
        _measure(raw, size or 0)
        try:
            sheets = load_workbook(raw, read_only=True, data_only=True, keep_links=False).worksheets
        except Exception:  # the library raises many kinds of errors for damage
            raise Invalid(_BROKEN, code="file-broken") from None
        if not sheets:
            raise Invalid(_BROKEN, code="file-broken")
        self._sheet = sheets[0]
        self._sheet.reset_dimensions()  # the size stated in the file may be smaller than the sheet
        self._rows = self._iterate(MOST_COLUMNS)
        headings: Sequence[Any] = []
        while (record := self.read()) is not None and not headings:
            headings = () if record.is_blank else record.content
            header_lines = record.number
        self.table = Table.parse(headings)
        self.resume(0, header_lines)

    def resume(self, offset: int, lines: int) -> None:
        """Continue after this number of rows, which are read again."""
        self._rows = self._iterate(len(self.table.members) if self.table is not None else MOST_COLUMNS)
        self.lines = 0
        while self.lines < lines and self.read() is not None:
            pass
        self.offset = offset

    def read(self) -> Record | None:
        """Return the cells of the next row, or None at the end. Raises Invalid if the sheet is damaged."""
        try:
            cells = next(self._rows, None)
        except Exception:  # the library raises many kinds of errors for damage
            raise Invalid(_BROKEN, code="file-broken") from None
        if cells is None:
            return None
        self.lines += 1
        self.offset = self.raw.tell()
        return Record(self.lines, cells)

    def _iterate(self, columns: int) -> Iterator[Sequence[Any]]:
        rows: Iterator[Sequence[Any]] = self._sheet.iter_rows(max_col=columns, values_only=True)
        return rows


class _Sheet:
    """Checks the row numbers of a part while the part is parsed."""

    def __init__(self) -> None:
        self._row = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] != "row":
            return
        number = int(attributes.get("r", self._row + 1))
        if number <= self._row:  # the library would skip the row
            raise ValueError
        self._row = number
        if number > MOST_ROWS + 1:  # plus one for the header
            raise Invalid(
                f"A planilha tem mais de {MOST_ROWS} linhas: divida-a ou salve-a como CSV.", code="file-broken"
            )


def _measure(raw: BinaryIO, size: int) -> None:
    """Read every part to its end. Raises Invalid if the file is too large, damaged or not a spreadsheet."""
    total = 0
    if size > MOST_BYTES:
        raise _too_large()
    try:
        with zipfile.ZipFile(raw) as archive:
            names = archive.namelist()
            if _TYPES not in names or not any(name.startswith(_FOLDER) for name in names):
                raise Invalid(NO_SPREADSHEET, code="file-broken")
            for name in names:
                parser = _make_parser() if name.endswith((".xml", ".rels", ".vml")) else None
                with archive.open(name) as part:
                    while chunk := part.read(_CHUNK):
                        total += len(chunk)
                        if total > MOST_BYTES:
                            raise _too_large()
                        if parser is not None:
                            parser.Parse(chunk, False)
    # `zipfile` raises RuntimeError for encryption and NotImplementedError for an unknown compression.
    except (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, NotImplementedError, expat.ExpatError, OSError):
        raise Invalid(_BROKEN, code="file-broken") from None
    raw.seek(0)


def _make_parser() -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.StartElementHandler = _Sheet().start
    parser.StartDoctypeDeclHandler = _refuse_declaration
    return parser


def _refuse_declaration(*_: object) -> None:
    """Reject a document type declaration.

    Only such a declaration can define entities, and spreadsheets never contain one.
    """
    raise ValueError


def _too_large() -> Invalid:
    return Invalid(
        f"A planilha passa de {MOST_BYTES // 1024**2} MiB descompactada: divida-a ou salve-a como CSV.",
        code="file-broken",
    )
