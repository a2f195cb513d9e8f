"""The links of a driver as personal data: exported here, erased with the invitations that they are."""

from collections.abc import Mapping
from typing import Any

from balcao.core.audit.personal_data import PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers import service


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"condutor_de": await service.driven_by(connection, cpf)}


PERSONAL_DATA = PersonalData("drivers", _export)
