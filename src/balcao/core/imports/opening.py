"""Choose the reader for a file by the file's name and first bytes."""

import hashlib
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from balcao.core.errors import Invalid
from balcao.core.imports.delimited import Csv
from balcao.core.imports.source import BOM, JsonLines, Source, open_content
from balcao.core.imports.spreadsheet import NO_SPREADSHEET, ZIP, Spreadsheet

STANDARD_INPUT = Path("-")
_PEEKED_BYTES = 128  # long enough to contain an OpenDocument file's media type
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument"
_SAVE_AS = "abra-o na planilha e salve-o como .xlsx ou CSV."


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a file for an import. `-` is the standard input.

    Raises OSError if it cannot be read, or Invalid if no import supports its format.
    """
    if path == STANDARD_INPUT:
        yield _open_stream(sys.stdin.buffer)
        return
    with path.open("rb") as raw:
        status = os.fstat(raw.fileno())
        if not stat.S_ISREG(status.st_mode):
            yield _open_stream(raw)
            return
        digest = hashlib.file_digest(raw, "sha256").digest()
        raw.seek(0)
        is_csv = ".csv" in map(str.lower, path.suffixes)
        start = raw.peek(len(ZIP))
        if start.startswith(ZIP) and not _is_open_document(raw.peek(_PEEKED_BYTES)):
            yield Spreadsheet(raw, size=status.st_size, sha256=digest)
            return
        _refuse_other_formats(raw, is_csv=is_csv)
        yield (Csv if is_csv else JsonLines)(raw, size=status.st_size, sha256=digest)


def _open_stream(raw: BinaryIO) -> Source:
    _refuse_other_formats(raw, is_csv=False)
    return JsonLines(raw)


def _refuse_other_formats(raw: BinaryIO, *, is_csv: bool) -> None:
    """Raise Invalid if the file has another format. Otherwise each line would be rejected, without the real reason."""
    start = b""
    content = open_content(raw)
    with suppress(OSError, EOFError, zlib.error):  # damage is reported when the lines are read
        start = content.peek(_PEEKED_BYTES)[:_PEEKED_BYTES]  # type: ignore[attr-defined]  # both kinds of content have `peek`
    if content is not raw:
        raw.seek(0)
    reason = _explain_format(start, is_csv=is_csv)
    if reason is not None:
        raise Invalid(reason, code="file-broken")


def _explain_format(start: bytes, *, is_csv: bool) -> str | None:
    """Return the error message for a file that starts with these bytes, or None if the format is supported."""
    if _is_open_document(start):
        return f"O arquivo é do LibreOffice (.ods): {_SAVE_AS}"
    if start.startswith(_OLD_EXCEL):
        return f"O arquivo é do Excel antigo (.xls) ou tem senha: {_SAVE_AS}"
    if start.startswith(ZIP):
        return NO_SPREADSHEET
    if start.startswith(_UTF_16):
        return "O arquivo está em UTF-16: salve-o em UTF-8."
    text = start.removeprefix(BOM).lstrip()
    if text.startswith(b"<"):
        return f"O arquivo é HTML ou XML: {_SAVE_AS}"
    if text.startswith(b"[") and not is_csv:
        return (
            "O arquivo é uma lista JSON: escreva um objeto por linha, sem colchetes nem vírgulas entre eles "
            "(`jq -c '.[]'` faz isso)."
        )
    return None


def _is_open_document(start: bytes) -> bool:
    return start.startswith(ZIP) and _OPEN_DOCUMENT in start
