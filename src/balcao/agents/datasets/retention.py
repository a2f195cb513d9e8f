"""Erase the content of deleted examples after 90 days (rules: agents 5)."""

from datetime import timedelta

from balcao.agents.datasets import store
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.clock import utc_now

RETENTION_PERIOD = timedelta(days=90)


async def _erase_deleted(_: Call, connection: Connection) -> RetentionCount:
    checked, before = await store.count_deleted_examples(connection), utc_now() - RETENTION_PERIOD
    await store.erase_deleted_datasets(connection, before)
    return RetentionCount(checked, await store.erase_deleted_examples(connection, before))


RETENTION = (Retention("deleted_example", _erase_deleted),)
