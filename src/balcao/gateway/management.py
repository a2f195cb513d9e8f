"""The management port: metrics, liveness and readiness of all processes that were started together.

It is separate from the callers' port and has its own database connections, so that it answers even if requests use all
other connections. Its responses are neither counted nor logged, because monitoring is not traffic.
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
from balcao.core.jobs.pulse import FETCH, LAST_ITERATION
from balcao.core.telemetry import BEAT, Numbers
from balcao.core.values.clock import utc_now
from balcao.gateway.application import Application
from balcao.gateway.gateway import METRICS, Gateway, Mount
from balcao.gateway.instance import HEADER, name_instance
from balcao.gateway.metrics import Handler, answer_scraper
from balcao.settings import Settings

NAME = "management"
# One database connection for the metrics and one for readiness.
CONNECTIONS = 2
# A check fails if a process has not published metrics for the first of these periods, or if a worker has not polled for
# jobs for the second. Processes publish every second, and idle workers poll every five seconds.
BEAT_SECONDS, QUEUE_SECONDS = 5.0, 30.0


def is_stalled(numbers: Numbers, seconds: float, now: float) -> bool:
    """Return whether a worker's event loop has been blocked for more than `seconds`. Only a restart can fix that."""
    return any(now - turned > seconds for turned in _list_states(numbers, LAST_ITERATION))


def check_processes(numbers: Numbers, processes: Sequence[str], *, with_jobs: bool, now: float) -> dict[str, bool]:
    """Return the result of each check: every process by name, the access rules and, with jobs, the queue.

    `snapshot` fails if a process uses outdated access rules. `queue` fails if a worker has not fetched jobs recently.
    """
    checks = {name: now - numbers.states.get((BEAT, name), 0.0) <= BEAT_SECONDS for name in processes}
    checks["snapshot"] = not any(_list_states(numbers, OUTDATED))
    if with_jobs:
        fetched = _list_states(numbers, FETCH)
        checks["queue"] = bool(fetched) and all(now - each <= QUEUE_SECONDS for each in fetched)
    return checks


def _list_states(numbers: Numbers, name: str) -> list[float]:
    return [value for series, value in numbers.states.items() if series[0] == name]


def build_management(
    settings: Settings,
    database: Database,
    metrics: Metrics,
    gauges: Sequence[Gauge],
    processes: Sequence[str],
    *,
    with_jobs: bool,
) -> Application:
    """Return the application of the management port. The server opens `database` when it starts the application."""
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
