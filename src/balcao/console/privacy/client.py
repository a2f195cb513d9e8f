"""The operations that the area calls beside those on one person's data."""

from datetime import datetime

import msgspec

from balcao.console.api import Api
from balcao.console.person.client import Pagination

_ADMIN = "/registry/v1/admin"


class AuditEvent(msgspec.Struct):
    id: str
    at: datetime
    request_id: str
    operation: str
    action: str
    subject: str | None
    actor_kind: str
    client: str
    grant: str
    fields: list[str]
    reason: str | None
    outcome: str

    @property
    def actor(self) -> str:
        """Return the client, by the word that a person's own list has for it."""
        return self.client


class AuditPage(msgspec.Struct):
    data: list[AuditEvent]
    pagination: Pagination


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
    operation: str | None,
    client: str | None,
    page: int,
    size: int,
    reason: str,
) -> AuditPage:
    query = {
        "from": since,
        "to": until,
        "cpf": cpf,
        "operation": operation,
        "client": client,
        "page": page,
        "per_page": size,
    }
    return await api.get(f"{_ADMIN}/audit", AuditPage, query, reason=reason)


async def read_retention_report(api: Api) -> RetentionReport:
    return await api.get(f"{_ADMIN}/retention", RetentionReport)
