"""Downloads of a citizen's own files, which the registry stores."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.web.api import quoted
from balcao.web.person.client import Subject
from balcao.web.service_requests.files import FILES

# A file is an attachment, which no browser opens as a page of the site.
_ATTACHED = ("content-disposition", "content-security-policy")


async def send_file(subject: Subject, file_id: str) -> Response[Any]:
    """Return one of the citizen's files as an attachment. The caller checks that a record of the page refers to it."""
    found = await subject.download(f"{FILES}/{quoted(file_id)}/content")
    headers = {name.title(): found.headers[name] for name in _ATTACHED}
    return Response(found.content, headers=headers, media_type=found.headers["content-type"])
