"""What stores ask of a connection again and again."""

from typing import Any

from balcao.core.database.pool import Connection


async def fetch_count(connection: Connection, statement: str, *values: Any) -> int:
    """Return the one number that the statement answers."""
    found: int = await connection.fetchval(statement, *values)
    return found


def affected(status: str) -> int:
    """Return how many rows a statement wrote, from the status that the server answered (`INSERT 0 5`)."""
    return int(status.rpartition(" ")[2])
