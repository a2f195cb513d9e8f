"""Maintenance over HTTP: the use cases of `balcao maintenance`, always with an end (rules: registry 4.16)."""

from datetime import timedelta

from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.declared import Declared
from balcao.core.errors import Conflict, NotFound
from balcao.core.live import maintenance
from balcao.core.values.clock import utc_now
from balcao.core.values.text import clean_text
from balcao.registry.operation.maintenance.schemas import (
    LONGEST_MESSAGE,
    MaintenanceBody,
    Maintenances,
    MaintenanceState,
)


async def list_maintenance(call: Call) -> Maintenances:
    """Return the services in maintenance."""
    found = await maintenance.list_services(call)
    return Maintenances([_describe(change) for change in found], list(call.platform.part(Declared).services))


async def begin_maintenance(call: Call, name: str, body: MaintenanceBody) -> MaintenanceState:
    """Take a service out of use, or change message and end. Raises NotFound, Invalid."""
    _require_service(call, name)
    message = clean_text("message", body.message, longest=LONGEST_MESSAGE)
    call.give_reason("reason", body.reason)
    ends_at = utc_now() + timedelta(minutes=body.minutes)
    found = await maintenance.begin_maintenance(call, [name], message, ends_at, call.author.name)
    return next(_describe(change) for change in found if change.name == name)


async def end_maintenance(call: Call, name: str) -> None:
    """Put a service back into use. Raises NotFound, Conflict where it is in use."""
    _require_service(call, name)
    if not await maintenance.end_maintenance(call, [name]):
        raise Conflict(f"O serviço {name} não está em manutenção.", code="not-in-maintenance")


def _require_service(call: Call, name: str) -> None:
    if name not in call.platform.part(Declared).services:
        raise NotFound(f"Não há serviço {name}.", code="service-unknown")


def _describe(change: Change) -> MaintenanceState:
    return MaintenanceState(change.name, change.value, change.changed_at, change.ends_at, change.author)
