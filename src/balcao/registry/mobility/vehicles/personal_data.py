"""Vehicles as personal data: erased but for the registration number, which then belongs to nobody."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.vehicles import service, store
from balcao.registry.mobility.vehicles.schemas import VehicleDetail

ERASED = ["display_name", "serial_number", "brand_other", "model_other", "photos"]


async def export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    """Export the person's vehicles, deleted ones too."""
    return {"veiculos": await service.list_owned_vehicles(connection, cpf)}


async def erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase the person's vehicles and delete the live ones."""
    return [Cleared("vehicles", await store.erase_owned_vehicles(connection, cpf, at), ERASED)]


PERSONAL_DATA = PersonalData(
    "vehicles",
    export,
    erase,
    tables=("registry.vehicle",),
    members=(ExportMember("veiculos", list[VehicleDetail], "Veículos que o cidadão registrou, com os excluídos.", 60),),
)


async def erase_old(_: Call, connection: Connection) -> Swept:
    """Erase what is left of vehicles deleted two years ago."""
    checked = await store.count_vehicles(connection)
    return Swept(checked, await store.erase_old_vehicles(connection))


RETENTION = [Retention("vehicle", erase_old)]
