"""Liveness and readiness of a process: two operations that nearly every service has at its base."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.database.pool import Database
from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import Dialect
from balcao.core.http.operations import PLATFORM_TAG, Operation, Routes
from balcao.core.http.responses import Response, to_json
from balcao.core.values.clock import utc_now

if TYPE_CHECKING:
    from balcao.core.context.platform import Platform

Checks = Callable[["Platform"], Awaitable[Mapping[str, bool]]]


_Service: TypeAlias = Annotated[str, Meta(description="Nome do serviço.", examples=["registry"])]
_Now: TypeAlias = Annotated[datetime, Meta(description="Instante da resposta, com fuso.")]
LIVE = (
    "Diz que o processo responde, sem olhar para o banco de dados. Para quem decide se um processo deve ser reiniciado."
)
READY = (
    "Diz se o serviço pode atender: o banco de dados responde e as regras de acesso estão em dia. Responde 503 "
    "enquanto não pode. Para balanceadores de carga."
)


class Liveness(msgspec.Struct):
    """The response to the liveness check."""

    status: Annotated[str, Meta(description="Sempre `healthy`.", examples=["healthy"])]
    service: _Service
    timestamp: _Now


class Readiness(msgspec.Struct, omit_defaults=True):
    """The response to the readiness check. `errors` names the failed checks and is absent if the service is ready."""

    status: Annotated[str, Meta(description="`ready` ou `not_ready`.", examples=["ready"])]
    checks: Annotated[
        dict[str, bool], Meta(description="Cada verificação e se passou; `overall` é o resultado de todas.")
    ]
    service: _Service
    timestamp: _Now
    errors: Annotated[list[str], Meta(description="As verificações que falharam; ausente quando nenhuma falhou.")] = []


# The default paths, by the last part of the operation's key. A service may use other paths.
PATHS: Mapping[str, str] = {"liveness": "/liveness", "readiness": "/readiness"}


def health_operations(
    service: str,
    dialect: Dialect,
    further: Checks | None,
    paths: Mapping[str, str] = PATHS,
    *,
    has_city_times: bool = False,
) -> list[Operation]:
    """Declare the liveness and readiness operations of a service. `further` are the service's own checks.

    With `has_city_times`, timestamps have the city's UTC offset and whole seconds. Otherwise they are in UTC.
    """
    routes = Routes(tags=list(PLATFORM_TAG), dialect=dialect)

    def read_clock(call: Call) -> datetime:
        return utc_now().replace(microsecond=0).astimezone(call.zone) if has_city_times else utc_now()

    def live(call: Call) -> Liveness:
        return Liveness("healthy", service, read_clock(call))

    async def ready(call: Call) -> Response[Readiness]:
        return await _check_readiness(call.platform, service, further, read_clock(call))

    for word, path in paths.items():
        key = f"{service}.{word}"
        if word.startswith("live"):
            routes.get(path, key, public(), "O processo está vivo", description=LIVE, in_maintenance=True)(live)
        else:
            summary = "O serviço pode atender"
            routes.get(path, key, public(), summary, description=READY, same_body=[503], in_maintenance=True)(ready)
    return routes.declared


async def run_checks(platform: "Platform", further: Checks | None) -> dict[str, bool]:
    """Return, by name, whether each check passed. The service's own checks run only if the database is up."""
    checks = {"database": await is_database_up(platform.database), "snapshot": platform.catalogue.is_confirmed}
    if further is not None and checks["database"]:
        checks |= await further(platform)
    return checks


async def _check_readiness(
    platform: "Platform", service: str, further: Checks | None, now: datetime
) -> Response[Readiness]:
    checks = await run_checks(platform, further)
    failed = [name for name, passed in checks.items() if not passed]
    body = Readiness("not_ready" if failed else "ready", checks | {"overall": not failed}, service, now, failed)
    return to_json(body, status=503 if failed else 200)


async def is_database_up(database: Database) -> bool:
    """Return whether a connection is available and the database responds on it within a second."""
    try:
        async with database.connection() as connection:
            return bool(await connection.fetchval("SELECT true", timeout=1))
    except BalcaoError:
        return False
