"""The API operations that the area calls, except those on one person's data."""

from datetime import datetime

import msgspec

from balcao.web.api import Api
from balcao.web.envelopes import Page
from balcao.web.person.client import Access

_ADMIN = "/registry/v1/admin"


class AuditEvent(Access, kw_only=True):
    id: str
    subject: str | None
    actor: str = msgspec.field(name="client")
    actor_hash: str | None
    actor_name: str | None

    @property
    def visitor(self) -> tuple[object, ...]:
        """Return the values that all accesses during one visit share.

        Accesses by two members of staff are two visits.
        """
        return (self.subject, self.actor_hash, *super().visitor)


class RetainedKind(msgspec.Struct):
    kind: str
    at: datetime
    checked: int
    removed: int
    removed_30d: int


class AnonymisedPeople(msgspec.Struct):
    last_30d: int
    last_year: int
    total: int


class RetentionReport(msgspec.Struct):
    data: list[RetainedKind]
    anonymised: AnonymisedPeople


async def list_audit_events(
    api: Api,
    *,
    since: str,
    until: str,
    cpf: str | None,
    size: int,
    reason: str,
    operation: str | None = None,
    client: str | None = None,
    has_subject: bool | None = None,
    page: int = 1,
) -> Page[AuditEvent]:
    query = {
        "from": since,
        "to": until,
        "cpf": cpf,
        "operation": operation,
        "client": client,
        "has_subject": has_subject,
        "names": True,
        "page": page,
        "per_page": size,
    }
    return await api.get(f"{_ADMIN}/audit", Page[AuditEvent], query, reason=reason)


async def read_retention_report(api: Api) -> RetentionReport:
    return await api.get(f"{_ADMIN}/retention", RetentionReport)
