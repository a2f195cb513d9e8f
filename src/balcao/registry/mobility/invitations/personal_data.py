"""Invitations as personal data: what others typed of the person and what the person typed of others; and their end."""

from collections.abc import Sequence
from datetime import datetime

from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.invitations import store

ERASED = ["conductor_name", "notify_email", "phone", "invited_by_cpf"]


async def _erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Before the vehicles: those of an own vehicle are found by its owner."""
    return [Cleared("vehicle_links", await store.erase_typed(connection, cpf, at), ERASED)]


PERSONAL_DATA = PersonalData("invitations", erase=_erase, tables=("registry.vehicle_conductor",))


async def _expired(_: Call, connection: Connection) -> Swept:
    """Nothing is erased yet: what nobody answered in time is revoked, and goes two years later."""
    checked = await store.count_pending(connection)
    return Swept(checked, await store.expire(connection))


async def _old(_: Call, connection: Connection) -> Swept:
    checked = await store.count_all(connection)
    return Swept(checked, await store.delete_old(connection))


RETENTION = [Retention("vehicle_invitation", _expired), Retention("vehicle_link", _old)]
