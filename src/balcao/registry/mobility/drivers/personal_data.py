"""Driver links as personal data: what others typed of the person, what the person typed of others, and their end."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers import service, store
from balcao.registry.mobility.drivers.schemas import DrivenVehicle

ERASED = ["conductor_name", "notify_email", "phone", "invited_by_cpf"]


async def export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    """Export the vehicles that the person was invited to drive."""
    return {"condutor_de": await service.list_driven_vehicles(connection, cpf)}


async def erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase what was typed. Goes before the vehicles: the links to one's own vehicles are found by their owner."""
    return [Cleared("vehicle_links", await store.erase_typed(connection, cpf, at), ERASED)]


PERSONAL_DATA = PersonalData(
    "drivers",
    export,
    erase,
    tables=("registry.vehicle_conductor",),
    members=(
        ExportMember(
            "condutor_de", list[DrivenVehicle], "Convites e vínculos de condutor do cidadão, em qualquer situação.", 70
        ),
    ),
)


async def expire(_: Call, connection: Connection) -> Swept:
    """Revoke what nobody answered in time; nothing is erased yet, the row goes two years later."""
    checked = await store.count_pending_invitations(connection)
    return Swept(checked, await store.expire_invitations(connection))


async def delete_old(_: Call, connection: Connection) -> Swept:
    """Delete links that ended two years ago."""
    checked = await store.count_driver_links(connection)
    return Swept(checked, await store.delete_old_driver_links(connection))


RETENTION = [Retention("vehicle_invitation", expire), Retention("vehicle_link", delete_old)]
