"""Registering health units."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import service as feed
from balcao.health_units.units import store
from balcao.health_units.units.schemas import UnitBody


async def put_unit(call: Call, cnes: Cnes, unit: UnitBody, at: datetime | None = None) -> bool:
    """Create or replace a unit as of `at` (now unless given); return true when it is new."""
    at = at or utc_now()
    async with call.platform.database.transaction() as connection:
        new = await store.put(connection, cnes, unit, at)
        await call.platform.audit.record(
            connection, call, "create" if new else "update", fields=sorted(unit.model_fields_set)
        )
        await feed.publish_unit(connection, cnes, at)
    return new


async def list_codes(call: Call) -> set[str]:
    """Return the codes (CNES) of all units."""
    async with call.platform.database.connection() as connection:
        return await store.list_codes(connection)


async def lock_active(connection: Connection, cnes: Cnes) -> None:
    """Lock the unit for the rest of the transaction. Raises NotFound for an unknown or deactivated one."""
    if not await store.lock_active(connection, cnes):
        raise NotFound("Unidade de saúde não encontrada ou desativada.", code="unit-not-found")
