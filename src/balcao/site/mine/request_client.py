"""API operations on a citizen's own requests that only Minha página uses: the rating and the files."""

import httpx
import msgspec

from balcao.web.api import quoted
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import ServiceRequest

_FILES = "/files"
# A request contains this many files in all (rules: registry 4.20).
MOST_FILES = 5


class StoredFile(msgspec.Struct):
    id: str
    media_type: str
    size: int

    @property
    def note(self) -> str:
        """Return the id, type and size as one text, which forms and drafts contain until a request uses the file."""
        return f"{self.id} {self.media_type} {self.size}"


async def rate_request(subject: Subject, number: str, stars: int, comment: str, key: str) -> ServiceRequest:
    """Rate a closed request."""
    body = {"stars": stars, "comment": comment or None}
    return await subject.send("POST", f"/maintenance-request/{quoted(number)}/rating", ServiceRequest, body, key=key)


async def store_file(subject: Subject, content: bytes, key: str) -> StoredFile:
    """Store a file, so that a request can contain it."""
    return await subject.upload(_FILES, StoredFile, content, key=key)


async def download_file(subject: Subject, file_id: str) -> httpx.Response:
    """Return the content of one of the citizen's files."""
    return await subject.download(f"{_FILES}/{quoted(file_id)}/content")


def find_question(one: ServiceRequest) -> str:
    """Return the question that waits for the citizen's answer, or an empty string."""
    if one.state != "needs_information":
        return ""
    return next((step.text or "" for step in reversed(one.steps) if step.state == one.state), "")
