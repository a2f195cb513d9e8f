"""The numbered feed of public changes: what every process and, later, every stream learns from."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import store
from balcao.health_units.feed.store import CHANNEL
from balcao.health_units.risk import service as risk

__all__ = ["CHANNEL", "publish_risk", "publish_unit"]


async def publish_risk(call: Call, connection: Connection, cnes: Cnes, at: datetime) -> None:
    """The unit's risk as this transaction leaves it."""
    await store.append(connection, "risco", cnes, at, await risk.of_unit(call, connection, cnes))


async def publish_unit(connection: Connection, cnes: Cnes, at: datetime) -> None:
    await store.append(connection, "unidade", cnes, at, {"cnes": cnes.digits})
