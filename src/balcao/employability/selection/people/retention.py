"""Copies of what the registry said go once no application says whose they are (rules: employability 5.4)."""

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.employability.selection.people import store


async def delete_unneeded(_: Call, connection: Connection) -> Swept:
    """Delete the copies of people without an application that names them."""
    checked = await store.count(connection)
    return Swept(checked, await store.delete_unneeded(connection))


RETENTION = [Retention("candidate_copy", delete_unneeded)]
