"""What a connection tells of itself and of its server, without being asked for anything over the wire."""

from typing import TYPE_CHECKING

import asyncpg

if TYPE_CHECKING:
    from balcao.core.database.pool import Connection


def is_open(connection: "Connection") -> bool:
    """Return whether the connection can be used, as far as this end knows."""
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # the pool has taken it back, because it was lost
        return False


def takes_writes(connection: "Connection") -> bool:
    """Return whether the server takes writes; it tells each session when it becomes a replica or read-only."""
    told = connection.get_settings()
    return "on" not in (getattr(told, "in_hot_standby", "off"), getattr(told, "default_transaction_read_only", "off"))


def terminate(connection: "Connection") -> None:
    """Cut the connection, if it is open; a statement under way then fails at once."""
    if is_open(connection):
        connection.terminate()
