"""Start, plan and end maintenance over HTTP (rules: registry 4.16).

Maintenance started over HTTP always has an end. With `balcao maintenance`, the end is optional.
"""

from datetime import timedelta

from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.declared import Declared
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.live import maintenance
from balcao.core.values.clock import utc_now
from balcao.core.values.text import clean_text
from balcao.registry.operation.maintenance.schemas import (
    LONGEST_MESSAGE,
    MOST_DAYS_AHEAD,
    MaintenanceBody,
    Maintenances,
    MaintenanceState,
)


async def list_maintenance(call: Call) -> Maintenances:
    """Return the services in maintenance, and the services with planned maintenance."""
    closed, planned = (
        await maintenance.list_services_in_maintenance(call),
        await maintenance.list_planned_services(call),
    )
    services = list(call.platform.part(Declared).services)
    return Maintenances([_describe(change) for change in closed], [_describe(change) for change in planned], services)


async def begin_maintenance(call: Call, name: str, body: MaintenanceBody) -> MaintenanceState:
    """Start or plan a service's maintenance, or change the message and end of running maintenance.

    Raises NotFound for an unknown service, Invalid for an invalid body, and Conflict if maintenance would be planned
    while it is running.
    """
    _require_service(call, name)
    message = clean_text("message", body.message, longest=LONGEST_MESSAGE)
    call.give_reason("reason", body.reason)
    now, lasting = utc_now(), timedelta(minutes=body.minutes)
    if body.begins_at is None:
        found = await maintenance.begin_maintenance(call, [name], message, now + lasting, call.author.name)
    else:
        begins_at = body.begins_at
        if not now < begins_at <= now + timedelta(days=MOST_DAYS_AHEAD):
            raise Invalid(
                f"O campo `begins_at` deve ficar no futuro, a no máximo {MOST_DAYS_AHEAD} dias.",
                code="begins-at-range",
            )
        found = await maintenance.plan_maintenance(
            call, [name], message, begins_at, begins_at + lasting, call.author.name
        )
    return next(_describe(change) for change in found if change.name == name)


async def end_maintenance(call: Call, name: str) -> None:
    """End a service's maintenance, or cancel planned maintenance.

    Raises NotFound for an unknown service, and Conflict if there is neither running nor planned maintenance.
    """
    _require_service(call, name)
    if not await maintenance.end_maintenance(call, [name]):
        raise Conflict(f"O serviço {name} não está em manutenção, nem há uma planejada.", code="not-in-maintenance")


def _require_service(call: Call, name: str) -> None:
    if name not in call.platform.part(Declared).services:
        raise NotFound(f"Não há serviço {name}.", code="service-unknown")


def _describe(change: Change) -> MaintenanceState:
    begins_at = change.begins_at if change.is_planned else None
    return MaintenanceState(change.name, change.value, change.changed_at, begins_at, change.ends_at, change.author)
