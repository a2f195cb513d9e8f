"""Wire types of the CRM integration's operation and of the mirror as it stands (rules: registry 2.9, 2.10)."""

from datetime import datetime
from typing import Annotated

import msgspec

from balcao.core.http.paging import PageQuery, Pagination
from balcao.registry.mirror.records import HeldConsent
from balcao.registry.mirror.writes import Value


class CircuitStatus(msgspec.Struct):
    """Of the process that answers. `until` is when the next probe may go; null unless open."""

    state: str
    failures: int
    until: datetime | None


class PushStatus(msgspec.Struct):
    queued: int
    running: int
    dead: int
    oldest_age_s: int | None


class EventStatus(msgspec.Struct):
    """`pending` wait for the worker; `dead` wait for an operator."""

    pending: int
    oldest_age_s: int | None
    applied_24h: int
    dead: int


class CrmStatus(msgspec.Struct):
    configured: bool
    circuit: CircuitStatus
    push: PushStatus
    events: EventStatus
    future_registers: int


class CrmEvent(msgspec.Struct):
    """Metadata only; `cpf` is masked."""

    id: str
    cpf: str
    evento: str
    event_at: datetime
    has_updated_at: bool
    accepted_at: datetime
    azp: str
    request_id: str
    applied_at: datetime | None
    result: str | None


class CrmEventPage(msgspec.Struct):
    data: list[CrmEvent]
    pagination: Pagination


class EventQuery(PageQuery, rename={"from_": "from"}):
    cpf: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{11}$")] | None = None
    request_id: str | None = None
    from_: str | None = None
    to: str | None = None


class ReleasedRegisters(msgspec.Struct):
    released: int


class MirroredField(msgspec.Struct):
    """`effective` tells whether the citizen's record shows it; a cleared one has the value null."""

    name: str
    value: Value
    updated_at: datetime
    origin: str
    effective: bool


class CrmMirror(msgspec.Struct):
    cpf: str
    anonymised_at: datetime | None
    consents_cleared_at: datetime | None
    fields: list[MirroredField]
    crm_consentimentos: list[HeldConsent]
