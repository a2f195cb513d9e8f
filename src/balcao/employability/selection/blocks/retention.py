"""How long a refused attempt to apply is kept (rules: employability 5.4)."""

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.employability.selection.blocks import store


async def delete_old(call: Call, connection: Connection) -> Swept:
    """Delete the attempts of long ago."""
    checked = await store.count(connection)
    return Swept(checked, await store.delete_old(connection, call.platform.settings.jobs_block_months))


RETENTION = [Retention("application_block", delete_old)]
