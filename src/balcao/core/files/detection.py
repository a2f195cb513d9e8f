"""Detect the type of a file from its content, and check the structure of a PDF (rules: registry 4.18)."""

import re
from enum import StrEnum

# The trailer of a PDF is in its last kilobyte. Some programs append blanks or a line of their own to it.
_TAIL_BYTES = 2048
_PDF_HEAD = re.compile(rb"%PDF-(1\.[0-7]|2\.0)\s")
_START_OF_TABLE = re.compile(rb"startxref\s{1,4}(\d{1,10})\s{1,4}%%EOF")
# The start of a cross-reference table, or of the object whose stream contains the table.
_TABLE = re.compile(rb"\s{0,4}(xref\s|\d{1,10}\s{1,4}\d{1,5}\s{1,4}obj\b)")


class MediaType(StrEnum):
    """The types of files that citizens may send."""

    JPEG = "image/jpeg"
    PNG = "image/png"
    PDF = "application/pdf"


SUFFIXES = {MediaType.JPEG: "jpg", MediaType.PNG: "png", MediaType.PDF: "pdf"}
_SIGNATURES = {
    b"\xff\xd8\xff": MediaType.JPEG,
    b"\x89PNG\r\n\x1a\n": MediaType.PNG,
    b"%PDF-": MediaType.PDF,
}


def detect_type(content: bytes) -> MediaType | None:
    """Return the type that the first bytes indicate, or None for other types. The rest of the file may be damaged."""
    return next((kind for signature, kind in _SIGNATURES.items() if content.startswith(signature)), None)


def is_complete_pdf(content: bytes) -> bool:
    """Return whether the file has the header of a PDF, and a trailer that points to a cross-reference table.

    The objects are not parsed, so the document may still be damaged.
    """
    if _PDF_HEAD.match(content) is None:
        return False
    starts = _START_OF_TABLE.findall(content[-_TAIL_BYTES:])
    return bool(starts) and _TABLE.match(content, int(starts[-1])) is not None
