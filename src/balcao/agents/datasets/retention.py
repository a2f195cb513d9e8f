"""The retention of deleted examples: their content is erased after 90 days (rules: agents 5)."""

from datetime import timedelta

from balcao.agents.datasets import store
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.clock import utc_now

KEPT = timedelta(days=90)


async def _erase_deleted(_: Call, connection: Connection) -> Swept:
    checked, before = await store.count_deleted_examples(connection), utc_now() - KEPT
    await store.erase_deleted_datasets(connection, before)
    return Swept(checked, await store.erase_deleted_examples(connection, before))


RETENTION = (Retention("deleted_example", _erase_deleted),)
