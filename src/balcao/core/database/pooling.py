"""Check how a connection pooler between this process and PostgreSQL, such as PgBouncer, affects sessions."""

from balcao.core.database.pool import Connection
from balcao.core.database.servers import SESSION

# Without these parameters, a client that has vanished holds its locks for a long time. The TCP parameters of SESSION
# are not checked, because behind a pooler they apply only to the connection between the pooler and PostgreSQL.
_PROTECTING = ("client_connection_check_interval", "idle_in_transaction_session_timeout")
_FIND_BACKEND = "SELECT pg_backend_pid()"
_FIND_DROPPED = """
SELECT name, asked
FROM unnest($1::text[], $2::text[]) AS wanted (name, asked)
WHERE current_setting(name)::interval <> asked::interval
"""


async def share_backend(connection: Connection, other: Connection) -> bool:
    """Return whether two open connections share one session, because the pooler reassigns it between transactions."""
    return bool(await connection.fetchval(_FIND_BACKEND) == await other.fetchval(_FIND_BACKEND))


async def list_missing_settings(connection: Connection) -> list[str]:
    """Return an `ALTER ROLE` statement for each session parameter that the pooler did not pass on to PostgreSQL."""
    rows = await connection.fetch(_FIND_DROPPED, _PROTECTING, [SESSION[name] for name in _PROTECTING])
    login = await connection.fetchval("SELECT session_user::text")
    return [f"ALTER ROLE {login} SET {row['name']} = '{row['asked']}';" for row in rows]
