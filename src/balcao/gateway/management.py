"""The management port: metrics, liveness and readiness of all processes of one start, apart from what callers reach.

It has connections of its own, so that it answers also when requests hold all others, and what it answers is neither
counted nor logged: monitoring is no traffic.
"""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from balcao.core.access.catalogue import OUTDATED
from balcao.core.context.metrics import Metrics
from balcao.core.database.gauges import Gauge
from balcao.core.database.pool import Database
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.health import Liveness, Readiness, is_database_up
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, to_json
from balcao.core.jobs.pulse import FETCH, TURN
from balcao.core.telemetry import BEAT, Numbers
from balcao.core.values.clock import utc_now
from balcao.gateway.application import Application
from balcao.gateway.gateway import METRICS, Gateway, Mount
from balcao.gateway.instance import HEADER, name_instance
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.settings import Settings

NAME = "management"
CONNECTIONS = 2
# A process writes its numbers every second, an idle worker asks for jobs every five.
BEAT_SECONDS, QUEUE_SECONDS = 5.0, 30.0


def is_stalled(numbers: Numbers, seconds: float, now: float) -> bool:
    """Return whether a worker's loop has stood still for so long, which only a new start can mend."""
    return any(now - turned > seconds for turned in _list_states(numbers, TURN))


def check_processes(numbers: Numbers, processes: Sequence[str], *, with_jobs: bool, now: float) -> dict[str, bool]:
    """Return each check and whether it passed: every process by name, the access rules, and the queue if any has jobs.

    The rules are those by which callers are let in; the queue is whether the worker is given its jobs.
    """
    checks = {name: now - numbers.states.get((BEAT, name), 0.0) <= BEAT_SECONDS for name in processes}
    checks["snapshot"] = not any(_list_states(numbers, OUTDATED))
    if with_jobs:
        fetched = _list_states(numbers, FETCH)
        checks["queue"] = bool(fetched) and all(now - each <= QUEUE_SECONDS for each in fetched)
    return checks


def _list_states(numbers: Numbers, name: str) -> list[float]:
    return [value for series, value in numbers.states.items() if series[0] == name]


def build(
    settings: Settings,
    database: Database,
    metrics: Metrics,
    gauges: Sequence[Gauge],
    processes: Sequence[str],
    *,
    with_jobs: bool,
) -> Application:
    """Return what the port serves; `database` is opened when the server starts the application."""
    instance = {HEADER: name_instance(settings)}

    def liveness(_: Request) -> Response[Liveness]:
        stalled = is_stalled(metrics.numbers(), settings.worker_stall_timeout, time.time())
        body = Liveness("stalled" if stalled else "healthy", NAME, utc_now())
        return to_json(body, status=503 if stalled else 200, headers=instance)

    async def readiness(_: Request) -> Response[Readiness]:
        checks = {"database": await is_database_up(database)}
        checks |= check_processes(metrics.numbers(), processes, with_jobs=with_jobs, now=time.time())
        return _describe(checks, instance)

    handlers: dict[str, Handler] = {
        "/liveness": liveness,
        "/readiness": readiness,
        METRICS: answer_scraper(settings, database, metrics, gauges, apart=True),
    }
    endpoints = [("GET", path, PageEndpoint(NAME, "", "GET", handler, _refuse)) for path, handler in handlers.items()]

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        await database.open()
        try:
            yield
        finally:
            await database.close()

    return Application(Gateway([], Mount(NAME, "", endpoints, lambda _: ERROR_TEXT), opened), is_traffic=False)


def _describe(checks: Mapping[str, bool], headers: Mapping[str, str]) -> Response[Readiness]:
    failed = [name for name, passed in checks.items() if not passed]
    body = Readiness("not_ready" if failed else "ready", {**checks, "overall": not failed}, NAME, utc_now(), failed)
    return to_json(body, status=503 if failed else 200, headers=headers)


def _refuse(_: Request, fault: BalcaoError) -> Response[Any]:
    return ERROR_TEXT.response(fault)
