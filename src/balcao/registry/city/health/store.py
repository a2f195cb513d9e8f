"""SQL for the health check."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("SELECT true")
async def ping_database(connection: Connection) -> bool: ...
