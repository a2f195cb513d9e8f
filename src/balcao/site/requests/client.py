"""The operations on requests that need no login."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.site.reading.reader import HOUR, Reader
from balcao.web.api import NotFound, quoted
from balcao.web.service_requests.client import TYPES, RequestType, RequestTypes

_REQUESTS = "/registry/v1/maintenance-requests"
# A type's id in another form exists nowhere, so it causes no call.
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
    """Read all types that people can request, by category and name."""
    return (await reader.get(TYPES, RequestTypes, stale=HOUR)).types


async def find_type(reader: Reader, type_id: str) -> RequestType:
    """Return a type from the stored list. Raises NotFound if people cannot request it."""
    found = next((one for one in await list_types(reader) if one.id == type_id), None)
    if found is None:
        raise NotFound("Este pedido não existe mais.")
    return found


async def read_newest_type(reader: Reader, type_id: str) -> RequestType:
    """Read a type as it is now, because its questions must be the current ones. Raises NotFound as `find_type` does."""
    if not _TYPE_ID.fullmatch(type_id):
        raise NotFound("Este pedido não existe mais.")
    return await reader.read_newest(f"{TYPES}/{quoted(type_id)}", RequestType)


async def open_request(reader: Reader, kind: RequestType, answers: Mapping[str, Any], key: str) -> Receipt:
    """Make a request without login, once for each key."""
    body = {"type": kind.id, "version": kind.version, "answers": answers}
    return await reader.send(_REQUESTS, Receipt, body, key=key)


async def follow_request(reader: Reader, number: str, code: str) -> FollowedRequest:
    """Read the state of a request by the number and the code of its receipt. Raises NotFound if one is wrong."""
    return await reader.send(f"{_REQUESTS}/follow", FollowedRequest, {"number": number, "code": code})


def complete_number(text: str) -> str:
    """Return a typed number in its usual form: "ped 00000003 4" is "PED-00000003-4". Return other texts unchanged."""
    found = _DIGITS.fullmatch("".join(sign for sign in text.upper() if sign.isalnum()))
    return f"PED-{found[1]}-{found[2]}" if found else text
