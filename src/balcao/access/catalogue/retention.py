"""How long the catalogue's audit trail is kept (rules: access 5)."""

from datetime import timedelta

from balcao.access.catalogue import store
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection

DENIALS_AND_READS = timedelta(days=365)
CHAIN = timedelta(days=3653)


async def _delete_old_events(_: Call, connection: Connection) -> Swept:
    checked = await store.count_events(connection)
    return Swept(checked, await store.delete_old_events(connection, DENIALS_AND_READS, CHAIN))


RETENTION = (Retention("access_audit_event", _delete_old_events),)
