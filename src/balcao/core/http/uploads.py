"""Forms with a file (`multipart/form-data`, RFC 7578), as browsers send them.

The server has already limited the size of the body. The parser only splits it, with one search for the boundary for
each part.
"""

import re
from collections.abc import Mapping

from balcao.core.errors import Invalid, TooLarge
from balcao.core.http import forms
from balcao.core.http.forms import FormData
from balcao.core.http.requests import Request

MEDIA_TYPE = "multipart/form-data"
# The maximum number of parts: a form has a few hidden fields, a few texts, and one file for each file input.
MAX_PARTS = 100
_LONGEST_BOUNDARY = 70  # RFC 2046
_LONGEST_TYPE = 256  # the media type, the longest boundary, and other parameters
_LONGEST_HEAD = 2_000  # a file name may have 765 bytes in UTF-8
# A parameter of a header: a name, and a value with or without quotes. The parser in `email` needs quadratic time, and
# raises other errors than ValueError for some malformed headers.
_PARAMETER = re.compile(r""";\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*""")


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
    given = request.headers.text(b"content-type") or ""
    if given.partition(";")[0].strip().lower() == forms.MEDIA_TYPE:
        return forms.read_form(request)
    if len(given) > _LONGEST_TYPE:
        raise _make_malformed()
    media_type, parameters = _parse_parameters(given)
    boundary = parameters.get("boundary", "")
    if media_type != MEDIA_TYPE or not boundary.isascii() or not 0 < len(boundary) <= _LONGEST_BOUNDARY:
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
        _add(found, head.decode(errors="replace"), content)
    return found


def _add(found: UploadForm, head: str, content: bytes) -> None:
    kind, parameters = _parse_parameters(_find_disposition(head))
    name = parameters.get("name")
    if kind != "form-data" or name is None:
        raise _make_malformed()
    if "filename" in parameters or "filename*" in parameters:
        if content:
            if name in found.files:
                raise _make_malformed()
            found.files[name] = content
        return
    try:
        found.setdefault(name, []).append(content.decode())
    except UnicodeDecodeError:
        raise _make_malformed() from None


def _find_disposition(head: str) -> str:
    """Return the value of a part's only Content-Disposition header."""
    fields = [line.partition(":") for line in head.split("\r\n")]
    values = [value for name, _, value in fields if name.lower() == "content-disposition"]
    if len(values) != 1:
        raise _make_malformed()
    return values[0]


def _parse_parameters(header: str) -> tuple[str, Mapping[str, str]]:
    """Return the value of a header in lower case, and its parameters. Raises Invalid if a parameter is repeated."""
    value, parameters = header.partition(";")[0], dict[str, str]()
    place = len(value)
    while place < len(header):
        found = _PARAMETER.match(header, place)
        if found is None or found[1].lower() in parameters:
            raise _make_malformed()
        parameters[found[1].lower()] = found[3] if found[2] is None else re.sub(r"\\(.)", r"\1", found[2])
        place = found.end()
    return value.strip().lower(), parameters


def _make_malformed() -> Invalid:
    return Invalid("O formulário não veio na forma esperada.")
