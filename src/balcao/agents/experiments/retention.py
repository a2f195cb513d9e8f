"""Experiments go with what they were made with (rules: agents 5)."""

from balcao.agents.datasets.retention import KEPT
from balcao.agents.experiments import store
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.clock import utc_now


async def _delete_orphans(_: Call, connection: Connection) -> Swept:
    checked = await store.count_orphans(connection)
    return Swept(checked, await store.delete_orphans(connection, utc_now() - KEPT))


RETENTION = (Retention("experiment_run", _delete_orphans),)
