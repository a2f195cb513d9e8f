"""A statement that proves that the data store responds."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("SELECT true")
async def ping_database(connection: Connection) -> bool: ...
