"""The API operations on requests that need no login."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.site.reading.reader import HOUR, Reader
from balcao.web.api import NotFound, quoted
from balcao.web.service_requests.client import TYPES, RequestType, RequestTypes

_REQUESTS = "/registry/v1/maintenance-requests"
# Type ids always have this form. Any other string is unknown, so no call is needed.
_TYPE_ID = re.compile(r"[a-z][a-z0-9_]{1,49}")
_DIGITS = re.compile(r"(?:PED)?([0-9]{8,12})([0-9])")


class Receipt(msgspec.Struct):
    number: str
    code: str
    deadline: datetime


class FollowedStep(msgspec.Struct):
    state: str
    at: datetime


class FollowedRequest(msgspec.Struct):
    number: str
    state: str
    deadline: datetime
    steps: list[FollowedStep]


async def list_types(reader: Reader) -> Sequence[RequestType]:
    """Return all types that people can request, sorted by category and name."""
    return (await reader.get(TYPES, RequestTypes, stale=HOUR)).types


async def find_type(reader: Reader, type_id: str) -> RequestType:
    """Return a type from the cached list. Raises NotFound if people cannot request it."""
    found = next((one for one in await list_types(reader) if one.id == type_id), None)
    if found is None:
        raise NotFound("Este pedido não existe mais.")
    return found


async def read_newest_type(reader: Reader, type_id: str) -> RequestType:
    """Read a type without the cache, because a form must have its current questions.

    Raises NotFound if people cannot request it.
    """
    if not _TYPE_ID.fullmatch(type_id):
        raise NotFound("Este pedido não existe mais.")
    return await reader.read_newest(f"{TYPES}/{quoted(type_id)}", RequestType)


async def open_request(reader: Reader, kind: RequestType, answers: Mapping[str, Any], key: str) -> Receipt:
    """Make a request without a login, at most once for each key."""
    body = {"type": kind.id, "version": kind.version, "answers": answers}
    return await reader.send(_REQUESTS, Receipt, body, key=key)


async def follow_request(reader: Reader, number: str, code: str) -> FollowedRequest:
    """Read the state of a request by the number and code on its receipt. Raises NotFound if either is wrong."""
    return await reader.send(f"{_REQUESTS}/follow", FollowedRequest, {"number": number, "code": code})


def complete_number(text: str) -> str:
    """Format a typed number: "ped 00000003 4" becomes "PED-00000003-4". Return any other string unchanged."""
    found = _DIGITS.fullmatch("".join(sign for sign in text.upper() if sign.isalnum()))
    return f"PED-{found[1]}-{found[2]}" if found else text
