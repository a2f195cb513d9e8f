"""Whether a process lives and whether it can serve: the same two operations at the base of every service."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler

from balcao.core.access.rules import public
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import Dialect
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.values.clock import utc_now

if TYPE_CHECKING:
    from balcao.core.context.platform import Platform

Checks = Callable[["Platform"], Awaitable[Mapping[str, bool]]]


class Liveness(msgspec.Struct):
    status: str
    service: str
    timestamp: datetime


class Readiness(msgspec.Struct, omit_defaults=True):
    """`errors` names the checks that failed; absent when ready."""

    status: str
    checks: dict[str, bool]
    service: str
    timestamp: datetime
    errors: list[str] = []


# By the word of the operation's key; a service may name further ones.
PATHS: Mapping[str, str] = {"liveness": "/liveness", "readiness": "/readiness"}


def health_routes(
    service: str, dialect: Dialect, further: Checks | None, paths: Mapping[str, str] = PATHS
) -> list[HTTPRouteHandler]:
    def liveness(path: str, key: str) -> HTTPRouteHandler:
        @operation("GET", path, key, public(), "O processo está vivo", dialect=dialect)
        async def live() -> Liveness:
            return Liveness("healthy", service, utc_now())

        return live

    def readiness(path: str, key: str) -> HTTPRouteHandler:
        @operation("GET", path, key, public(), "O serviço pode atender", dialect=dialect)
        async def ready(call: CurrentCall) -> Response[Readiness]:
            return await _readiness(call.platform, service, further)

        return ready

    return [
        (liveness if word.startswith("live") else readiness)(path, f"{service}.{word}") for word, path in paths.items()
    ]


async def _readiness(platform: "Platform", service: str, further: Checks | None) -> Response[Readiness]:
    checks = {"database": await _answers(platform), "snapshot": _decides(platform)}
    if further is not None and checks["database"]:
        checks |= await further(platform)
    failed = [name for name, passed in checks.items() if not passed]
    body = Readiness("not_ready" if failed else "ready", checks | {"overall": not failed}, service, utc_now(), failed)
    return Response(body, status_code=503 if failed else 200)


async def _answers(platform: "Platform") -> bool:
    try:
        async with platform.database.connection() as connection:
            return bool(await connection.fetchval("SELECT true", timeout=1))
    except BalcaoError:
        return False


def _decides(platform: "Platform") -> bool:
    try:
        return platform.catalogue.snapshot is not None
    except BalcaoError:
        return False
