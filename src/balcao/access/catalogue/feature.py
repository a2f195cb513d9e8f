"""Declares the retention and the export of the catalogue's versions, changes and audit events."""

from datetime import timedelta

from balcao.access.catalogue import store
from balcao.core.audit.retention import OldRows, Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.logs import log

DENIALS_AND_READS = timedelta(days=365)
CHAIN = timedelta(days=3653)  # ten years
CHANGES = timedelta(days=1)


async def _delete_old_events(_: Call, connection: Connection) -> RetentionCount:
    """Delete old events, after logging the chain's head.

    A truncated chain can later be detected by comparing it with the logged head.
    """
    if (head := await store.read_chain_head(connection)) is not None:
        log.info("access.audit_head", seq=head[0], hash=head[1])
    checked = await store.count_catalogue_events(connection)
    return RetentionCount(checked, await store.delete_old_catalogue_events(connection, DENIALS_AND_READS, CHAIN))


RETENTION = [
    Retention("access_audit_event", _delete_old_events),
    OldRows("access_change", store.count_noted_changes, store.delete_noted_changes, CHANGES),
]


FEATURE = Feature(
    retention=RETENTION, exports=Exports(tables=("access.audit_event", "access.catalogue_version", "access.change"))
)
