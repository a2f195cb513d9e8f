"""The API operations on request types and on one citizen's requests.

The types contain only the members that pages use.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.person.client import Subject

TYPES = "/registry/v1/request-types"
# The maximum length of a step's text. The service has the same limit.
LONGEST_TEXT = 2_000


class Option(msgspec.Struct, frozen=True):
    id: str
    label: str


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question in a request type. Each kind of question uses only some of the limits."""

    id: str
    kind: str
    label: str
    hint: str = ""
    required: bool = False
    personal: bool = False
    min_length: int | None = None
    max_length: int | None = None
    options: list[Option] | None = None
    minimum: float | None = None
    maximum: float | None = None
    decimals: int | None = None
    earliest_days: int | None = None
    latest_days: int | None = None
    max_files: int | None = None


class RequestType(msgspec.Struct, kw_only=True):
    """One version of a request type."""

    id: str
    version: int
    name: str
    category: str
    description: str = ""
    service_id: str | None = None
    fields: list[Field]
    departments: list[str]
    deadline_days: int
    without_login: bool = False
    active: bool = True
    updated_at: datetime

    @property
    def labels(self) -> Mapping[str, str]:
        """Return the labels of the questions by their ids."""
        return {field.id: field.label for field in self.fields}


class RequestTypes(msgspec.Struct):
    types: list[RequestType]


class Answer(msgspec.Struct):
    field: str
    label: str
    kind: str
    value: Any
    text: str

    @property
    def files(self) -> Sequence[str]:
        """Return the ids of the files in the answer."""
        return self.value if self.kind == "file" else ()


class Step(msgspec.Struct):
    """A step in a request. A step without a state is a message. Only answers of the citizen have files."""

    state: str | None
    text: str | None
    author: str
    at: datetime
    files: tuple[str, ...] = ()


class Rating(msgspec.Struct):
    stars: int
    comment: str | None
    at: datetime


class ServiceRequest(msgspec.Struct, kw_only=True):
    """A citizen's request with its answers and steps."""

    number: str
    type: str
    version: int
    name: str
    category: str
    service_id: str | None = None
    state: str
    protocol: str | None
    answers: list[Answer]
    departments: list[str]
    created_at: datetime
    updated_at: datetime
    deadline: datetime
    closed_at: datetime | None
    reopen_until: datetime | None
    rating: Rating | None
    steps: list[Step]

    @property
    def files(self) -> Sequence[str]:
        """Return the ids of all files: those of the form, then those of the citizen's later answers."""
        of_form = [id_ for answer in self.answers for id_ in answer.files]
        return of_form + [id_ for step in self.steps for id_ in step.files]


class NewRequest(ServiceRequest, kw_only=True):
    """A request that was just made. No other response contains its code."""

    code: str


async def list_request_types(api: Api) -> list[RequestType]:
    """Return the types that people can request, sorted by category and name."""
    return (await api.get(TYPES, RequestTypes)).types


async def read_request_type(api: Api, type_id: str) -> RequestType:
    """Return the current version of a type."""
    return await api.get(f"{TYPES}/{quoted(type_id)}", RequestType)


async def open_request(subject: Subject, kind: RequestType, answers: Mapping[str, Any], key: str) -> NewRequest:
    """Make a request with the answers to this version of the type, at most once for each `key`."""
    body = {"type": kind.id, "version": kind.version, "answers": answers}
    return await subject.send("POST", "/maintenance-request", NewRequest, body, key=key)


async def read_request(subject: Subject, number: str) -> ServiceRequest:
    """Return one of the person's requests."""
    return await subject.get(f"/maintenance-request/{quoted(number)}", ServiceRequest)


async def answer_question(subject: Subject, number: str, text: str, files: Sequence[str], key: str) -> ServiceRequest:
    """Answer the city's question with a text and with stored files, at most once for each `key`."""
    body = {"text": text, "files": files}
    path = f"/maintenance-request/{quoted(number)}/answer"
    return await subject.send("POST", path, ServiceRequest, body, key=key)


async def write_text(subject: Subject, number: str, what: str, text: str, key: str) -> ServiceRequest:
    """Answer the city's question (`answer`), or reopen a closed request (`reopening`), at most once for each `key`."""
    path = f"/maintenance-request/{quoted(number)}/{what}"
    return await subject.send("POST", path, ServiceRequest, {"text": text}, key=key)
