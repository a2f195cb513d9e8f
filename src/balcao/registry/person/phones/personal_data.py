"""What the phone verification holds of a person: a number not yet theirs, which the export file has no member for."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, Holding
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones import service


async def exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {}


async def cleared(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    count = await service.erase_covered(connection, cpf, at)
    return [Cleared("phone_verification", count, ["telefone"])]


HOLDING = Holding("phones", exported, cleared, by_event=True, tables=("registry.phone_verification",))

_COUNT = "SELECT count(*) FROM registry.phone_verification"


async def _swept(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT)
    return Swept(checked, await service.erase_expired(connection))


RETENTION = (Retention("phone_verification", _swept),)
