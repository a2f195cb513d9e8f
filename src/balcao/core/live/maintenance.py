"""Put a service into maintenance in all processes of all machines, and end it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from balcao.core.access import live
from balcao.core.access.live import MAINTENANCE, Change
from balcao.core.context.call import Call
from balcao.core.database.gauges import Gauge
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict

DEFAULT_MESSAGE = "Serviço em manutenção. Tente de novo mais tarde."


async def begin_maintenance(
    call: Call, services: Iterable[str], message: str, ends_at: datetime | None, author: str
) -> list[Change]:
    """Put the services into maintenance until `ends_at`. Return all changes for services that are in maintenance.

    Operations with `in_maintenance` remain available. A service that is already in maintenance gets the new message and
    end.
    """
    async with call.platform.database.transaction() as connection:
        for service in services:
            await live.put_live_change(connection, MAINTENANCE, service, message, ends_at, author)
            await call.platform.audit.record(connection, call, "update", fields=[service])
        return await list_closed(connection)


async def plan_maintenance(
    call: Call, services: Iterable[str], message: str, begins_at: datetime, ends_at: datetime, author: str
) -> list[Change]:
    """Announce maintenance of the services from `begins_at` to `ends_at`. Return all planned maintenance.

    Each plan replaces the service's previous plan. Raises Conflict if a service is in maintenance now, because the plan
    would end that maintenance.
    """
    async with call.platform.database.transaction() as connection:
        closed = {change.name for change in await list_closed(connection)}
        for service in services:
            if service in closed:
                raise Conflict(
                    f"O serviço {service} está em manutenção: termine esta antes de planejar outra.",
                    code="in-maintenance",
                )
            await live.put_live_change(connection, MAINTENANCE, service, message, ends_at, author, begins_at)
            await call.platform.audit.record(connection, call, "update", fields=[service])
        return await list_planned(connection)


async def end_maintenance(call: Call, services: Iterable[str]) -> list[str]:
    """Put the services back into operation. Return the services that were in maintenance or had planned maintenance."""
    async with call.platform.database.transaction() as connection:
        ended = [service for service in services if await live.remove_live_change(connection, MAINTENANCE, service)]
        for service in ended:
            await call.platform.audit.record(connection, call, "update", fields=[service])
    return ended


async def list_services_in_maintenance(call: Call) -> list[Change]:
    """Return the maintenance that is in force, one change for each service."""
    async with call.platform.database.connection() as connection:
        return await list_closed(connection)


async def list_planned_services(call: Call) -> list[Change]:
    """Return the planned maintenance, one change for each service."""
    async with call.platform.database.connection() as connection:
        return await list_planned(connection)


async def list_planned(connection: Connection) -> list[Change]:
    """Read the planned maintenance that has not begun yet."""
    changes = await live.list_live_changes(connection)
    return [change for change in changes if change.kind == MAINTENANCE and change.is_planned]


async def list_closed(connection: Connection) -> list[Change]:
    """Read the maintenance that is in force."""
    changes = await live.list_live_changes(connection)
    return [change for change in changes if change.kind == MAINTENANCE and not change.is_planned]


def make_gauge(services: Sequence[str]) -> Gauge:
    """Return a metric that shows which of these services are in maintenance."""

    async def read(connection: Connection) -> Mapping[tuple[str, ...], float]:
        closed = {change.name for change in await list_closed(connection)}
        return {(service,): float(service in closed) for service in services}

    return Gauge("balcao_maintenance", "Whether the service is in maintenance", ("service",), read)
