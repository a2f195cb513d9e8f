"""SQL of the provider's sessions, their grants, and the codes and refresh tokens of a grant.

The one clock is the database's. A session's row is also the lock of all that was granted in it.
"""

from datetime import timedelta

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count

IDLE_LIFETIME = timedelta(minutes=30)
MAX_LIFETIME = timedelta(hours=10)


class Session(msgspec.Struct, frozen=True):
    """`started_at` in Unix seconds."""

    id: str
    username: str
    started_at: float


class Grant(msgspec.Struct, frozen=True):
    """What one login gave to one client."""

    id: str
    session: Session
    client: str
    scope: str
    nonce: str | None


class Credential(msgspec.Struct, frozen=True):
    """A code, or a refresh token, which has no address. `used_for`: the seconds since its use, None before it."""

    grant: Grant
    living: bool
    used_for: float | None
    redirect_uri: str | None
    challenge: str | None


_ADD_SESSION = """
INSERT INTO platform.identity_session (id, cookie_hash, username, expires_at) VALUES ($1, $2, $3, now() + $4::interval)
RETURNING id::text, username, extract(epoch FROM started_at)::float8 AS started_at
"""


async def add_session(connection: Connection, session: str, cookie_hash: bytes, username: str) -> Session:
    row = await connection.fetchrow(_ADD_SESSION, session, cookie_hash, username, IDLE_LIFETIME)
    assert row is not None  # an INSERT without conflict clause
    return Session(**row)


_USE_SESSION = """
UPDATE platform.identity_session
SET expires_at = least(greatest(expires_at, now() + $2::interval), started_at + $3::interval)
WHERE cookie_hash = $1 AND expires_at > now()
RETURNING id::text, username, extract(epoch FROM started_at)::float8 AS started_at
"""


async def use_session(connection: Connection, cookie_hash: bytes) -> Session | None:
    """Return the living session of this cookie and prolong it."""
    row = await connection.fetchrow(_USE_SESSION, cookie_hash, IDLE_LIFETIME, MAX_LIFETIME)
    return None if row is None else Session(**row)


_PROLONG_SESSION = """
UPDATE platform.identity_session
SET expires_at = least(greatest(expires_at, now() + $2::interval), started_at + $3::interval) WHERE id = $1
"""


async def prolong_session(connection: Connection, session: str, lasting: timedelta) -> None:
    """Let a session live so long from now, unless it would anyway; never beyond the longest lifetime."""
    await connection.execute(_PROLONG_SESSION, session, lasting, MAX_LIFETIME)


_END_SESSION = "DELETE FROM platform.identity_session WHERE id = $1"


async def end_session(connection: Connection, session: str) -> None:
    """Delete a session, and with it all that was granted in it."""
    await connection.execute(_END_SESSION, session)


_ADD_GRANT = """
INSERT INTO platform.identity_grant (id, session_id, client, scope, nonce)
SELECT $1, id, $3, $4, $5 FROM platform.identity_session WHERE id = $2
RETURNING true
"""


async def add_grant(connection: Connection, grant: Grant) -> bool:
    """Return false when the session has ended meanwhile."""
    values = (grant.id, grant.session.id, grant.client, grant.scope, grant.nonce)
    return bool(await connection.fetchval(_ADD_GRANT, *values))


_END_GRANT = "DELETE FROM platform.identity_grant WHERE id = $1"


async def end_grant(connection: Connection, grant: str) -> None:
    """Delete a grant with its codes and refresh tokens."""
    await connection.execute(_END_GRANT, grant)


_READ_GRANT = """
SELECT granted.id::text, client, scope, nonce, session.id::text AS session_id, username,
       extract(epoch FROM started_at)::float8 AS started_at
FROM platform.identity_grant AS granted JOIN platform.identity_session AS session ON session.id = session_id
WHERE granted.id = $1 AND session.expires_at > now()
"""


async def read_grant(connection: Connection, grant: str) -> Grant | None:
    """Return a grant whose session lives."""
    row = await connection.fetchrow(_READ_GRANT, grant)
    return None if row is None else _to_grant(dict(row))


_ADD_CREDENTIAL = """
INSERT INTO platform.identity_credential (hash, grant_id, redirect_uri, challenge, expires_at)
VALUES ($1, $2, $3, $4, now() + $5::interval)
"""


async def add_credential(
    connection: Connection,
    credential_hash: bytes,
    grant: str,
    lasting: timedelta,
    redirect_uri: str | None = None,
    challenge: str | None = None,
) -> None:
    await connection.execute(_ADD_CREDENTIAL, credential_hash, grant, redirect_uri, challenge, lasting)


_LOCK_SESSION = """
SELECT FROM platform.identity_session WHERE id = (
    SELECT session_id FROM platform.identity_grant AS granted
    JOIN platform.identity_credential AS credential ON credential.grant_id = granted.id WHERE credential.hash = $1)
FOR UPDATE
"""
# A statement after the lock, so that it sees what whoever had the lock before has done.
_READ_CREDENTIAL = """
SELECT granted.id::text, client, scope, nonce, session.id::text AS session_id, username,
       extract(epoch FROM started_at)::float8 AS started_at,
       credential.expires_at > now() AND session.expires_at > now() AS living,
       extract(epoch FROM clock_timestamp() - credential.used_at)::float8 AS used_for,
       credential.redirect_uri, credential.challenge
FROM platform.identity_credential AS credential
JOIN platform.identity_grant AS granted ON granted.id = credential.grant_id
JOIN platform.identity_session AS session ON session.id = session_id
WHERE credential.hash = $1 AND client = $2 AND (credential.redirect_uri IS NULL) = $3
"""


async def lock_credential(
    connection: Connection, credential_hash: bytes, client: str, *, refresh: bool
) -> Credential | None:
    """Return this client's code or refresh token, a used or expired one too.

    The session's row is the lock: whoever asks for another credential of the session waits.
    """
    await connection.execute(_LOCK_SESSION, credential_hash)
    row = await connection.fetchrow(_READ_CREDENTIAL, credential_hash, client, refresh)
    if row is None:
        return None
    values = dict(row)
    own = {name: values.pop(name) for name in ("living", "used_for", "redirect_uri", "challenge")}
    return Credential(_to_grant(values), **own)


def _to_grant(values: dict[str, object]) -> Grant:
    session = {"id": values["session_id"], "username": values["username"], "started_at": values["started_at"]}
    return msgspec.convert({**values, "session": session}, Grant)


_USE_CREDENTIAL = "UPDATE platform.identity_credential SET used_at = clock_timestamp() WHERE hash = $1"


async def use_credential(connection: Connection, credential_hash: bytes) -> None:
    await connection.execute(_USE_CREDENTIAL, credential_hash)


_COUNT_SESSIONS = "SELECT count(*) FROM platform.identity_session"
_DELETE_EXPIRED_SESSIONS = "DELETE FROM platform.identity_session WHERE expires_at <= now() RETURNING true"


async def count_sessions(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_SESSIONS)


async def delete_expired_sessions(connection: Connection) -> int:
    """Delete what expired sessions leave, and return how many they were."""
    return len(await connection.fetch(_DELETE_EXPIRED_SESSIONS))
