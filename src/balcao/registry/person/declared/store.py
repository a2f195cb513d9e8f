"""SQL of the self-declared fields: their values are the mirror's."""

from datetime import datetime

from balcao.core.database.pool import Connection

_IS_FRESH = "SELECT $1 > clock_timestamp() - make_interval(days => $2)"


async def is_fresh(connection: Connection, written_at: datetime, days: int) -> bool:
    """By the database's clock."""
    fresh: bool = await connection.fetchval(_IS_FRESH, written_at, days)
    return fresh
