"""The API operations that staff use on requests and their types. The types contain only the members that pages use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import httpx
import msgspec

from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Page
from balcao.web.service_requests.client import RequestType, RequestTypes, ServiceRequest

_REQUESTS = "/registry/v1/admin/maintenance-requests"
_TYPES = "/registry/v1/admin/request-types"
# The maximum page size of the service.
MOST = 100


class Summary(msgspec.Struct):
    """A request as listed in the queue, without the answers and the person."""

    number: str
    name: str
    category: str
    state: str
    protocol: str | None
    departments: list[str]
    with_login: bool
    created_at: datetime
    updated_at: datetime
    deadline: datetime


class HandledRequest(ServiceRequest, kw_only=True):
    """A request as staff see it. `cpf` is masked.

    It is None if the request was made without a login, or after an erasure.
    """

    cpf: str | None


async def list_requests(api: Api, query: Mapping[str, Any]) -> Page[Summary]:
    return await api.get(_REQUESTS, Page[Summary], query)


async def read_request(api: Api, number: str) -> Read[HandledRequest]:
    return await api.read(f"{_REQUESTS}/{quoted(number)}", HandledRequest)


async def add_step(api: Api, number: str, state: str | None, text: str, *, etag: str, key: str) -> HandledRequest:
    """Change a request's state, send its citizen a message, or both.

    Fail if the request has changed since it was read.
    """
    body = {"state": state, "text": text or None}
    return await api.send("POST", f"{_REQUESTS}/{quoted(number)}/steps", HandledRequest, body, etag=etag, key=key)


async def download_file(api: Api, number: str, file: str) -> httpx.Response:
    return await api.download(f"{_REQUESTS}/{quoted(number)}/files/{quoted(file)}")


async def list_types(api: Api) -> list[RequestType]:
    """Return the current version of all types, including inactive types."""
    return (await api.get(_TYPES, RequestTypes)).types


async def read_type(api: Api, kind: str) -> Read[RequestType]:
    return await api.read(f"{_TYPES}/{quoted(kind)}", RequestType)


async def list_versions(api: Api, kind: str) -> Page[RequestType]:
    """Return the newest versions of a type."""
    return await api.get(f"{_TYPES}/{quoted(kind)}/versions", Page[RequestType], {"per_page": MOST})


async def create_type(api: Api, kind: str, definition: Mapping[str, Any], key: str) -> RequestType:
    return await api.send("POST", _TYPES, RequestType, {"id": kind, **definition}, key=key)


async def replace_type(api: Api, kind: str, definition: Mapping[str, Any], etag: str) -> RequestType:
    return await api.send("PUT", f"{_TYPES}/{quoted(kind)}", RequestType, definition, etag=etag)
