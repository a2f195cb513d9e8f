"""How long applications say whose they are (rules: employability 5.4)."""

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.employability.selection.applications import retention_store as store


async def clear_ended(call: Call, connection: Connection) -> Swept:
    """Clear the applications of jobs that ended long ago."""
    checked = await store.count_whole(connection)
    return Swept(checked, await store.clear_ended(connection, call.platform.settings.jobs_application_months))


RETENTION = [Retention("job_application", clear_ended)]
