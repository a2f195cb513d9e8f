"""Files that citizens send with a form.

The registry stores a file as soon as the form arrives. From then on the form contains the file's note, so that no error
makes the citizen send the file again.
"""

import hashlib
import re
from typing import Any, NamedTuple

import httpx

from balcao.core.http.responses import Response
from balcao.core.http.uploads import UploadForm
from balcao.site.mine.declaration import LARGEST_FILE
from balcao.site.mine.request_client import store_file
from balcao.site.mine.visit import Visit
from balcao.web.api import Conflict, ValidationFailed
from balcao.web.person.client import Subject

TOO_LARGE = "O arquivo é grande demais: pode ter até 5 MB. Escolha um menor."
# The error code for a file that the registry has deleted, because no record used it for a day.
FILE_GONE = "file-not-own"
_NOTE = re.compile(r"[0-9a-f-]{36} (image/jpeg|image/png|application/pdf) [0-9]{1,8}")
# A file is an attachment, which no browser opens as a page of the site.
_ATTACHED = ("content-disposition", "content-security-policy")


class Kept(NamedTuple):
    """The note of a stored file, or the reason why it was not stored."""

    note: str = ""
    refusal: str = ""


def is_note(text: str) -> bool:
    """Return whether the text is the note of a stored file, which a browser sends back."""
    return _NOTE.fullmatch(text) is not None


def find_id(note: str) -> str:
    """Return the id of a stored file from its note."""
    return note.partition(" ")[0]


def read_content(visit: Visit, name: str) -> bytes:
    """Return the content of a file in the submitted form. It is empty if no file was chosen."""
    return visit.posted.files.get(name, b"") if isinstance(visit.posted, UploadForm) else b""


async def keep_file(subject: Subject, content: bytes, key: str) -> Kept:
    """Store a file, at most once for each content. `key` is the key of the form, which may contain several files."""
    if len(content) > LARGEST_FILE:
        return Kept(refusal=TOO_LARGE)
    try:
        stored = await store_file(subject, content, f"{key}-{hashlib.sha256(content).hexdigest()[:16]}")
    except (ValidationFailed, Conflict) as fault:
        return Kept(refusal=fault.text or "O arquivo não pôde ser guardado.")
    return Kept(stored.note)


def attach(found: httpx.Response) -> Response[Any]:
    """Return a file of the registry as an attachment."""
    headers = {name.title(): found.headers[name] for name in _ATTACHED}
    return Response(found.content, headers=headers, media_type=found.headers["content-type"])
