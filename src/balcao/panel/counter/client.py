"""The API operations that the counter calls, except those on one citizen's data."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.envelopes import Data, Page

_CITIZENS = "/registry/v1/admin/citizens"
_PHONE = "/registry/v1/phone"


class Found(msgspec.Struct):
    handle: str
    cpf: str
    name: str | None


class Identified(msgspec.Struct):
    cpf: str


class PhoneStatus(msgspec.Struct):
    phone_number: str
    found: bool
    quarantined: bool
    quarantine_until: datetime | None
    cpf: str | None
    name: str | None
    opt_in: bool


class QuarantinedPhone(msgspec.Struct):
    phone_number: str
    quarantine_until: datetime
    expired: bool


async def search_citizens(api: Api, search_terms: Mapping[str, str], reason: str) -> Data[Found]:
    return await api.send("POST", f"{_CITIZENS}/search", Data[Found], dict(search_terms), reason=reason)


async def identify_citizen(api: Api, handle: str, reason: str) -> Identified:
    return await api.send("POST", f"{_CITIZENS}/identify", Identified, {"handle": handle}, reason=reason)


async def read_phone_status(api: Api, number: str, reason: str) -> PhoneStatus:
    return await api.get(f"{_PHONE}/{quoted(number)}/status", PhoneStatus, reason=reason)


async def quarantine_phone(api: Api, number: str, reason: str) -> None:
    await api.send("POST", f"{_PHONE}/{quoted(number)}/quarantine", type(None), reason=reason)


async def release_phone(api: Api, number: str, reason: str) -> None:
    await api.send("DELETE", f"{_PHONE}/{quoted(number)}/quarantine", type(None), reason=reason)


async def list_quarantined_phones(api: Api, *, expired: bool, page: int, size: int) -> Page[QuarantinedPhone]:
    query: dict[str, Any] = {"expired": expired, "page": page, "per_page": size}
    return await api.get("/registry/v1/admin/phone/quarantined", Page[QuarantinedPhone], query)
