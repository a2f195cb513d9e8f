"""What the mobility rooms hold of a person: own vehicles, and links as a driver (rules: registry 4.9)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, Holding
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import store
from balcao.registry.mobility.drivers import service as conductors
from balcao.registry.mobility.vehicles import service as vehicles


async def exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {
        "veiculos": await vehicles.owned_by(connection, cpf),
        "condutor_de": await conductors.driven_by(connection, cpf),
    }


async def cleared(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Links first: those of an own vehicle are found by its owner."""
    links = await store.clear_links(connection, cpf, at)
    vehicles_cleared = await store.clear_vehicles(connection, cpf, at)
    return [
        Cleared("vehicle_links", links, ["conductor_name", "notify_email", "phone", "invited_by_cpf"]),
        Cleared(
            "vehicles", vehicles_cleared, ["display_name", "serial_number", "brand_other", "model_other", "photos"]
        ),
    ]


HOLDING = Holding("mobility", exported, cleared, tables=("registry.vehicle", "registry.vehicle_conductor"))

_COUNT_LINKS = "SELECT count(*) FROM registry.vehicle_conductor"
_COUNT_VEHICLES = "SELECT count(*) FROM registry.vehicle"


async def _links(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_LINKS)
    return Swept(checked, await store.erase_links(connection))


async def _vehicles(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_VEHICLES)
    return Swept(checked, await store.erase_vehicles(connection))


RETENTION = (Retention("vehicle_link", _links), Retention("vehicle", _vehicles))
