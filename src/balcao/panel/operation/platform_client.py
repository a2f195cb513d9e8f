"""The API operations on the platform's own state. The types contain only the members that the pages use."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.envelopes import Data, Page

_ADMIN = "/registry/v1/admin"


class Replica(msgspec.Struct):
    name: str
    lag_seconds: float | None
    fault: str | None


class Issuer(msgspec.Struct):
    issuer: str
    keys: int
    age_seconds: float | None


class ProcessCounts(msgspec.Struct):
    beating: int
    silent: int


class JobCounts(msgspec.Struct):
    queued: int
    running: int
    dead: int
    oldest_due_seconds: float | None


class PlatformState(msgspec.Struct):
    version: str
    database: str
    replicas: list[Replica]
    identity: list[Issuer]
    processes: ProcessCounts
    jobs: JobCounts
    maintenance: list[str]


class Process(msgspec.Struct):
    id: str
    name: str
    host: str
    version: str
    services: list[str]
    started_at: datetime
    beat_at: datetime
    beats: bool


class Schema(msgspec.Struct):
    owner: str
    migration: str
    applied: int
    applied_at: datetime


class Versions(msgspec.Struct):
    versions: list[str]
    schemas: list[Schema]


class Queue(msgspec.Struct):
    kind: str
    queued: int
    running: int
    dead: int
    oldest_due_seconds: float | None


class Schedule(msgspec.Struct):
    kind: str
    cron: str
    last: datetime | None
    next: datetime | None


class Queues(msgspec.Struct):
    data: list[Queue]
    dead: int
    schedules: list[Schedule]


class Import(msgspec.Struct):
    kind: str
    state: str
    size: int
    byte_offset: int
    lines: int
    changed: int
    unchanged: int
    refused: int
    started_at: datetime
    committed_at: datetime
    finished_at: datetime | None


class ResponseCount(msgspec.Struct):
    starts_at: datetime
    responses: int
    refusals: int
    faults: int
    slow: int
    mean_ms: float
    times: list[int]


class ServiceCounts(msgspec.Struct):
    service: str
    points: list[ResponseCount]


class ResponseCounts(msgspec.Struct):
    since: datetime
    until: datetime
    bounds_ms: list[float]
    data: list[ServiceCounts]


class Limit(msgspec.Struct):
    name: str
    about: str
    summary: str
    rate: str
    configured: str
    changed_at: datetime | None
    ends_at: datetime | None
    by: str | None


class Maintenance(msgspec.Struct):
    service: str
    message: str
    since: datetime
    begins_at: datetime | None
    ends_at: datetime | None
    by: str


class Maintenances(msgspec.Struct):
    data: list[Maintenance]
    planned: list[Maintenance]
    services: list[str]


async def read_state(api: Api) -> PlatformState:
    return await api.get(f"{_ADMIN}/state", PlatformState)


async def list_processes(api: Api) -> list[Process]:
    return (await api.get(f"{_ADMIN}/processes", Data[Process])).data


async def read_versions(api: Api) -> Versions:
    return await api.get(f"{_ADMIN}/versions", Versions)


async def read_queues(api: Api) -> Queues:
    return await api.get(f"{_ADMIN}/jobs/queues", Queues)


async def read_response_counts(api: Api) -> ResponseCounts:
    return await api.get(f"{_ADMIN}/response-counts", ResponseCounts)


async def list_imports(api: Api) -> list[Import]:
    return (await api.get(f"{_ADMIN}/imports", Data[Import])).data


async def list_limits(
    api: Api, *, search: str | None = None, changed: bool | None = None, page: int = 1, size: int = 25
) -> Page[Limit]:
    query = {"search": search, "changed": changed, "page": page, "per_page": size}
    return await api.get(f"{_ADMIN}/limits", Page[Limit], query)


async def read_limit(api: Api, name: str) -> Limit:
    return await api.get(f"{_ADMIN}/limits/{quoted(name)}", Limit)


async def change_limit(api: Api, name: str, body: dict[str, Any]) -> Limit:
    return await api.send("PUT", f"{_ADMIN}/limits/{quoted(name)}", Limit, body)


async def reset_limit(api: Api, name: str) -> None:
    await api.send("DELETE", f"{_ADMIN}/limits/{quoted(name)}", type(None))


async def list_maintenance(api: Api) -> Maintenances:
    return await api.get(f"{_ADMIN}/maintenance", Maintenances)


async def begin_maintenance(api: Api, service: str, body: dict[str, Any]) -> Maintenance:
    return await api.send("PUT", f"{_ADMIN}/maintenance/{quoted(service)}", Maintenance, body)


async def end_maintenance(api: Api, service: str) -> None:
    await api.send("DELETE", f"{_ADMIN}/maintenance/{quoted(service)}", type(None))
