"""SQL for the provider's sessions, their grants, and the codes and refresh tokens of each grant.

All times come from the database. A session's row also serves as the lock for all its grants.
"""

from datetime import timedelta

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.statements import statement

IDLE_LIFETIME = timedelta(minutes=30)
MAX_LIFETIME = timedelta(hours=10)


class Session(msgspec.Struct, frozen=True):
    """A session. `started_at` is in Unix seconds."""

    id: str
    username: str
    started_at: float


class Grant(msgspec.Struct, frozen=True):
    """The access that a client gets through a login."""

    id: str
    session: Session
    client: str
    scope: str
    nonce: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Grant":
        """Create the grant from a row that has the columns of `_GRANT`."""
        session = Session(row["session_id"], row["username"], row["started_at"])
        return cls(row["id"], session, row["client"], row["scope"], row["nonce"])


class Credential(msgspec.Struct, frozen=True):
    """A code or a refresh token. A refresh token has neither `redirect_uri` nor `challenge`.

    `living` is True if neither the credential nor its session has expired. `used_for` is the number of seconds since
    its first use, or None if it is unused.
    """

    grant: Grant
    living: bool
    used_for: float | None
    redirect_uri: str | None
    challenge: str | None

    @classmethod
    def from_row(cls, row: Row) -> "Credential":
        """Create the credential from a row that also has the columns of `_GRANT`."""
        return cls(Grant.from_row(row), row["living"], row["used_for"], row["redirect_uri"], row["challenge"])


@statement("""
INSERT INTO platform.identity_session (id, cookie_hash, username, expires_at)
VALUES (:session, :cookie_hash, :username, now() + :lasting::interval)
RETURNING id::text, username, extract(epoch FROM started_at)::float8 AS started_at
""")
async def add_session(
    connection: Connection, session: str, cookie_hash: bytes, username: str, lasting: timedelta = IDLE_LIFETIME
) -> Session: ...


@statement("""
UPDATE platform.identity_session
SET expires_at = least(greatest(expires_at, now() + :lasting::interval), started_at + :longest::interval)
WHERE cookie_hash = :cookie_hash AND expires_at > now()
RETURNING id::text, username, extract(epoch FROM started_at)::float8 AS started_at
""")
async def use_session(
    connection: Connection, cookie_hash: bytes, lasting: timedelta = IDLE_LIFETIME, longest: timedelta = MAX_LIFETIME
) -> Session | None:
    """Prolong the active session that this cookie identifies, and return it. Return None if there is none."""


@statement("""
UPDATE platform.identity_session
SET expires_at = least(greatest(expires_at, now() + :lasting::interval), started_at + :longest::interval)
WHERE id = :session
""")
async def prolong_session(
    connection: Connection, session: str, lasting: timedelta, longest: timedelta = MAX_LIFETIME
) -> None:
    """Prolong a session so that it lasts for `lasting` from now, but at most for `longest` after its start."""


@statement("DELETE FROM platform.identity_session WHERE id = :session")
async def end_session(connection: Connection, session: str) -> None:
    """Delete a session with all its grants."""


@statement("""
INSERT INTO platform.identity_grant (id, session_id, client, scope, nonce)
SELECT :grant.id, id, :client, :scope, :nonce FROM platform.identity_session WHERE id = :grant.session.id
RETURNING true
""")
async def add_grant(connection: Connection, grant: Grant) -> bool:
    """Add a grant. Return False if the session has ended in the meantime."""


@statement("DELETE FROM platform.identity_grant WHERE id = :grant")
async def end_grant(connection: Connection, grant: str) -> None:
    """Delete a grant with its codes and refresh tokens."""


_GRANT = """
granted.id::text, client, scope, nonce, session.id::text AS session_id, username,
extract(epoch FROM started_at)::float8 AS started_at
"""


@statement(f"""
SELECT {_GRANT}
FROM platform.identity_grant AS granted JOIN platform.identity_session AS session ON session.id = session_id
WHERE granted.id = :grant AND session.expires_at > now()
""")
async def read_grant(connection: Connection, grant: str) -> Grant | None:
    """Return a grant, or None if it or its session has ended."""


@statement("""
INSERT INTO platform.identity_credential (hash, grant_id, redirect_uri, challenge, expires_at)
VALUES (:credential_hash, :grant, :redirect_uri, :challenge, now() + :lasting::interval)
""")
async def add_credential(
    connection: Connection,
    credential_hash: bytes,
    grant: str,
    lasting: timedelta,
    redirect_uri: str | None = None,
    challenge: str | None = None,
) -> None: ...


async def lock_credential(
    connection: Connection, credential_hash: bytes, client: str, *, refresh: bool
) -> Credential | None:
    """Lock this client's code or refresh token, and return it even if it is used or expired.

    Lock: a separate statement first locks the session's row. Transactions for credentials of the same session therefore
    run one after the other.
    """
    await _lock_session(connection, credential_hash)
    return await _read_credential(connection, credential_hash, client, refresh)


@statement("""
SELECT FROM platform.identity_session WHERE id = (
    SELECT session_id FROM platform.identity_grant AS granted
    JOIN platform.identity_credential AS credential ON credential.grant_id = granted.id
    WHERE credential.hash = :credential_hash)
FOR UPDATE
""")
async def _lock_session(connection: Connection, credential_hash: bytes) -> None: ...


# This statement runs after the lock is acquired, so its snapshot contains the changes of the previous lock holder.
@statement(f"""
SELECT {_GRANT},
       credential.expires_at > now() AND session.expires_at > now() AS living,
       extract(epoch FROM clock_timestamp() - credential.used_at)::float8 AS used_for,
       credential.redirect_uri, credential.challenge
FROM platform.identity_credential AS credential
JOIN platform.identity_grant AS granted ON granted.id = credential.grant_id
JOIN platform.identity_session AS session ON session.id = session_id
WHERE credential.hash = :credential_hash AND client = :client AND (credential.redirect_uri IS NULL) = :refresh
""")
async def _read_credential(
    connection: Connection, credential_hash: bytes, client: str, refresh: bool
) -> Credential | None: ...


@statement("UPDATE platform.identity_credential SET used_at = clock_timestamp() WHERE hash = :credential_hash")
async def use_credential(connection: Connection, credential_hash: bytes) -> None: ...


@statement("SELECT count(*) FROM platform.identity_session")
async def count_sessions(connection: Connection) -> int: ...


@statement("DELETE FROM platform.identity_session WHERE expires_at <= now()")
async def delete_expired_sessions(connection: Connection) -> int:
    """Delete expired sessions, and return the number of deleted sessions."""
