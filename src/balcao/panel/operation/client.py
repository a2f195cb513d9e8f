"""The API operations that the area calls. The types contain only the members that its pages use."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.envelopes import Page

_JOBS = "/registry/v1/admin/jobs/dead-letters"
_CRM = "/registry/v1/admin/crm"
# The readiness path for each service.
SERVICES = {
    "Registro do cidadão": "/registry/v1/readiness",
    "Trabalho": "/jobs/readiness",
    "Busca e catálogo": "/search/readiness",
    "Acessos": "/access/readiness",
    "Unidades de saúde": "/health-units/readiness",
    "Agentes": "/agent/readiness",
}


class Try(msgspec.Struct):
    time: datetime
    status: int | None
    code: str | None
    duration: float | None


class Job(msgspec.Struct):
    id: str
    kind: str
    cpf: str | None
    fields: list[str]
    attempts: int
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    http_status: int | None
    error_code: str | None
    state: str
    request_id: str | None
    attempts_log: list[Try] = []


class Retried(msgspec.Struct):
    retried: int


class Circuit(msgspec.Struct):
    state: str
    failures: int
    until: datetime | None


class Push(msgspec.Struct):
    queued: int
    running: int
    dead: int
    oldest_age_s: int | None


class Events(msgspec.Struct):
    pending: int
    oldest_age_s: int | None
    applied_24h: int
    dead: int


class CrmStatus(msgspec.Struct):
    configured: bool
    circuit: Circuit
    push: Push
    events: Events
    future_registers: int


class Reconciliation(msgspec.Struct):
    id: str | None
    since: datetime | None
    state: str
    people: int
    events: int
    refused: int
    requested_at: datetime
    finished_at: datetime | None


async def read_readiness(api: Api, path: str) -> bool:
    """Return True if the service is ready.

    Raises ServiceUnavailable if it is not, because it then responds with 503.
    """
    await api.get(path, dict[str, Any])
    return True


async def list_jobs(api: Api, *, kind: str | None = None, page: int = 1, size: int = 25) -> Page[Job]:
    return await api.get(_JOBS, Page[Job], {"kind": kind, "page": page, "per_page": size})


async def read_job(api: Api, job: str) -> Job:
    return await api.get(f"{_JOBS}/{quoted(job)}", Job)


async def retry_job(api: Api, job: str) -> Job:
    return await api.send("POST", f"{_JOBS}/{quoted(job)}/retry", Job)


async def retry_jobs(api: Api, kind: str, limit: int) -> Retried:
    return await api.send("POST", f"{_JOBS}/retry", Retried, {"kind": kind, "limit": limit})


async def drop_job(api: Api, job: str, reason: str) -> None:
    await api.send("DELETE", f"{_JOBS}/{quoted(job)}", type(None), query={"reason": reason})


async def read_crm_status(api: Api) -> CrmStatus:
    return await api.get(f"{_CRM}/status", CrmStatus)


async def reconcile_since(api: Api, since: str) -> Reconciliation:
    return await api.send("POST", f"{_CRM}/reconcile", Reconciliation, {"since": since})


async def read_reconciliation(api: Api, run: str) -> Reconciliation:
    return await api.get(f"{_CRM}/reconcile/{quoted(run)}", Reconciliation)
