"""The numbered feed of public changes: what every process and, later, every stream learns from."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import store
from balcao.health_units.risk import service as risk

# Announces each entry to every process at the commit.
CHANNEL = "balcao_health_units"


async def publish_risk(call: Call, connection: Connection, cnes: Cnes, at: datetime) -> None:
    """Publish the unit's risk as this transaction leaves it."""
    await store.append_change(connection, CHANNEL, "risco", cnes, at, await risk.read_unit_risk(call, connection, cnes))


async def publish_unit(connection: Connection, cnes: Cnes, at: datetime) -> None:
    """Publish that a unit was created or replaced."""
    await store.append_change(connection, CHANNEL, "unidade", cnes, at, {"cnes": cnes.digits})
