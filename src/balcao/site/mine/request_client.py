"""The operations on a citizen's own requests and on the files that they contain."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx
import msgspec

from balcao.site.requests.client import REGISTRY
from balcao.site.requests.questions import RequestType
from balcao.site.requests.states import CLOSED
from balcao.web.api import Api, quoted
from balcao.web.person.client import Subject

_REQUESTS, _FILES = "/maintenance-request", "/files"


class Answer(msgspec.Struct):
    field: str
    label: str
    kind: str
    value: Any
    text: str

    @property
    def files(self) -> Sequence[str]:
        """Return the ids of the files of this answer."""
        return self.value if self.kind == "file" else ()


class Step(msgspec.Struct):
    state: str | None
    text: str | None
    author: str
    at: datetime


class Rating(msgspec.Struct):
    stars: int
    comment: str | None


class ServiceRequest(msgspec.Struct):
    """A request as its citizen sees it."""

    number: str
    type: str
    name: str
    state: str
    protocol: str | None
    answers: list[Answer]
    departments: list[str]
    created_at: datetime
    deadline: datetime
    reopen_until: datetime | None
    rating: Rating | None
    steps: list[Step]

    @property
    def is_closed(self) -> bool:
        """Return whether the city has closed the request."""
        return self.state in CLOSED

    @property
    def question(self) -> str:
        """Return the question that waits for the citizen's answer, or an empty string."""
        if self.state != "needs_information":
            return ""
        return next((step.text or "" for step in reversed(self.steps) if step.state == self.state), "")


class OpenedRequest(msgspec.Struct):
    number: str
    code: str


class StoredFile(msgspec.Struct):
    id: str
    media_type: str
    size: int


async def read_type(api: Api, type_id: str) -> RequestType:
    """Read a type as it is now."""
    return await api.get(f"{REGISTRY}/request-types/{quoted(type_id)}", RequestType)


async def open_request(subject: Subject, kind: RequestType, answers: Mapping[str, Any], key: str) -> OpenedRequest:
    """Make a request, once for each key."""
    body = {"type": kind.id, "version": kind.version, "answers": answers}
    return await subject.send("POST", _REQUESTS, OpenedRequest, body, key=key)


async def read_request(subject: Subject, number: str) -> ServiceRequest:
    """Read one of the citizen's requests."""
    return await subject.get(f"{_REQUESTS}/{quoted(number)}", ServiceRequest)


async def answer_question(subject: Subject, number: str, text: str, key: str) -> ServiceRequest:
    """Answer the city's question."""
    return await _change(subject, number, "answer", {"text": text}, key)


async def reopen_request(subject: Subject, number: str, text: str, key: str) -> ServiceRequest:
    """Reopen a closed request."""
    return await _change(subject, number, "reopening", {"text": text}, key)


async def rate_request(subject: Subject, number: str, stars: int, comment: str, key: str) -> ServiceRequest:
    """Rate a closed request."""
    return await _change(subject, number, "rating", {"stars": stars, "comment": comment or None}, key)


async def store_file(subject: Subject, content: bytes, key: str) -> StoredFile:
    """Store a file, which a request may then contain."""
    return await subject.upload(_FILES, StoredFile, content, key=key)


async def download_file(subject: Subject, file_id: str) -> httpx.Response:
    """Return one of the citizen's files."""
    return await subject.download(f"{_FILES}/{quoted(file_id)}/content")


async def _change(subject: Subject, number: str, action: str, body: Any, key: str) -> ServiceRequest:
    return await subject.send("POST", f"{_REQUESTS}/{quoted(number)}/{action}", ServiceRequest, body, key=key)
