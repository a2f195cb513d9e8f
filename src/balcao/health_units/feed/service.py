"""The numbered feed of public changes: what every process and, later, every stream learns from."""

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.database.reloader import notify
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import store
from balcao.health_units.risk import service as risk

# Announces each entry to every process at the commit.
CHANNEL = "balcao_health_units"
RISK, UNIT = "risco", "unidade"


async def publish_risk(call: Call, connection: Connection, cnes: Cnes) -> None:
    """Publish the unit's risk as this transaction leaves it."""
    await store.append_change(connection, CHANNEL, RISK, cnes, await risk.read_unit_risk(call, connection, cnes))


async def publish_unit(connection: Connection, cnes: Cnes) -> None:
    """Publish that a unit was created or replaced, or opens at other times."""
    await store.append_change(connection, CHANNEL, UNIT, cnes, {"cnes": cnes.digits})


async def announce(connection: Connection) -> None:
    """Have every process read the units again, for what is no change of one unit: no entry, no event."""
    await notify(connection, CHANNEL)
