"""One statement that shows that the data store answers."""

from balcao.core.database.pool import Connection


async def ping(connection: Connection) -> bool:
    return bool(await connection.fetchval("SELECT true"))
