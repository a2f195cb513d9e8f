"""Forms with a file (`multipart/form-data`, RFC 7578), as browsers send them.

The server has already limited the size of the body. The parser only splits it, with one search for the boundary for
each part.
"""

from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import HTTP

from balcao.core.errors import Invalid, TooLarge
from balcao.core.http import forms
from balcao.core.http.forms import FormData
from balcao.core.http.requests import Request

MEDIA_TYPE = "multipart/form-data"
# The maximum number of parts: a form has a few hidden fields, a few texts, and one file for each file input.
MAX_PARTS = 100
_LONGEST_BOUNDARY = 70  # RFC 2046
_LONGEST_HEAD = 2_000
_HEADERS = BytesHeaderParser(policy=HTTP)


class UploadForm(FormData):
    """The fields of a form, and the contents of its files by field name.

    A file input for which no file was chosen is left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, bytes] = {}


def read_upload(request: Request) -> FormData:
    """Return the fields and files of a form, or the fields of a form without files.

    The names and types that the browser states for files are ignored, because they prove nothing and may contain
    personal data. Raises TooLarge if the body exceeds the limit, and Invalid if it is malformed.
    """
    if request.content is None:
        raise TooLarge()
    given = _parse_type(request.headers.text(b"content-type") or "")
    if given.get_content_type() == forms.MEDIA_TYPE:
        return forms.read_form(request)
    boundary = given.get_param("boundary")
    if given.get_content_type() != MEDIA_TYPE or not isinstance(boundary, str):
        raise _make_malformed()
    if not boundary.isascii() or not 0 < len(boundary) <= _LONGEST_BOUNDARY:
        raise _make_malformed()
    return parse_parts(request.content, boundary.encode())


def parse_parts(body: bytes, boundary: bytes) -> UploadForm:
    """Parse a body. Raises Invalid if it is malformed, incomplete or has more than MAX_PARTS parts."""
    opening, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary, MAX_PARTS + 2)
    if opening or len(parts) < 2 or len(parts) > MAX_PARTS + 1 or not parts[-1].startswith(b"--"):
        raise _make_malformed()
    found = UploadForm()
    for part in parts[:-1]:
        head, separator, content = part.partition(b"\r\n\r\n")
        if not separator or not head.startswith(b"\r\n") or len(head) > _LONGEST_HEAD:
            raise _make_malformed()
        _add(found, _HEADERS.parsebytes(head[2:] + b"\r\n\r\n"), content)
    return found


def _add(found: UploadForm, head: Message, content: bytes) -> None:
    name = head.get_param("name", header="content-disposition")
    if head.get_content_disposition() != "form-data" or not isinstance(name, str):
        raise _make_malformed()
    if head.get_filename() is not None or head.get_param("filename", header="content-disposition") is not None:
        if content:
            if name in found.files:
                raise _make_malformed()
            found.files[name] = content
        return
    try:
        found.setdefault(name, []).append(content.decode())
    except UnicodeDecodeError:
        raise _make_malformed() from None


def _parse_type(text: str) -> Message:
    """Return a message whose only header is this content type."""
    message = Message()
    message["content-type"] = text.replace("\r", " ").replace("\n", " ")
    return message


def _make_malformed() -> Invalid:
    return Invalid("O formulário não veio na forma esperada.")
