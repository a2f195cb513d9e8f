"""Files that people send with a form for a request.

The registry stores a file as soon as the form arrives. From then on the form contains the file's note, so that no error
makes the person send the file again.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from balcao.core.http.uploads import UploadForm
from balcao.web.api import Conflict, NotFound, ValidationFailed, quoted
from balcao.web.person.client import Subject
from balcao.web.visit import PageRequest
from balcao.web.words import format_file_size

FILES = "/files"
# The limits of the registry (rules: registry 4.18, 4.20): bytes of a file, and files of a request.
LARGEST_FILE, MOST_FILES = 5 * 1024**2, 5
TOO_LARGE = "O arquivo é grande demais: pode ter até 5 MB. Escolha um menor."
# The error code for a file that the registry has deleted, because no record used it for a day.
FILE_GONE = "file-not-own"
_PDF = "application/pdf"
_NOTE = re.compile(rf"[0-9a-f-]{{36}} (image/jpeg|image/png|{_PDF}) [0-9]{{1,8}}")


class StoredFile(msgspec.Struct):
    id: str
    media_type: str
    size: int

    @property
    def note(self) -> str:
        """Return the id, type and size as one text, which forms and drafts contain until a request uses the file."""
        return f"{self.id} {self.media_type} {self.size}"


class Kept(NamedTuple):
    """The note of a stored file, or the reason why it was not stored."""

    note: str = ""
    refusal: str = ""


def is_note(text: str) -> bool:
    """Return whether the string is the note of a stored file, which a browser sends back."""
    return _NOTE.fullmatch(text) is not None


def find_id(note: str) -> str:
    """Return the id of a stored file from its note."""
    return note.partition(" ")[0]


def describe_note(note: str) -> str:
    """Describe a stored file from its note: "Foto de 480 kB"."""
    _, media_type, size = note.split(" ")
    return f"{'Documento' if media_type == _PDF else 'Foto'} de {format_file_size(int(size))}"


def read_content(visit: PageRequest, name: str) -> bytes:
    """Return the content of a file in the submitted form. It is empty if no file was chosen."""
    return visit.posted.files.get(name, b"") if isinstance(visit.posted, UploadForm) else b""


async def keep_file(subject: Subject, content: bytes, key: str) -> Kept:
    """Store a file, at most once for each content. `key` is the key of the form, which may contain several files."""
    if len(content) > LARGEST_FILE:
        return Kept(refusal=TOO_LARGE)
    key = f"{key}-{hashlib.sha256(content).hexdigest()[:16]}"
    try:
        stored = await subject.upload(FILES, StoredFile, content, key=key)
    except (ValidationFailed, Conflict) as fault:
        return Kept(refusal=fault.text or "O arquivo não pôde ser guardado.")
    return Kept(stored.note)


def replace_file(visit: PageRequest, file: str, name: str, notes: Sequence[str]) -> None:
    """Replace a file in the submitted form by the notes of the stored files, which the field `name` contains.

    If a later call fails, the error page can then send the form again, and the person need not choose the file again.
    """
    if isinstance(visit.posted, UploadForm):
        visit.posted.files.pop(file, None)
        visit.posted[name] = list(notes)


async def has_file(subject: Subject, note: str) -> bool:
    """Return whether the registry still stores this file of the person."""
    try:
        await subject.get(f"{FILES}/{quoted(find_id(note))}", StoredFile)
    except NotFound:
        return False
    return True
