"""SQL for the clients that developers created. A client can be changed only by its owner."""

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement

_COLUMNS = "client_id, name, redirect_uris, scopes, access_seconds, refresh_seconds"


class DeveloperClient(msgspec.Struct, frozen=True):
    """A client as its owner sees it."""

    client_id: str
    name: str
    redirect_uris: list[str]
    scopes: list[str]
    access_seconds: int
    refresh_seconds: int


class ProvenClient(DeveloperClient, frozen=True):
    """A client with the hash of its secret. The provider needs the hash to authenticate the client."""

    secret_hash: bytes


@statement(f"SELECT {_COLUMNS}, secret_hash FROM platform.identity_client WHERE client_id = :client_id")
async def find_client(connection: Connection, client_id: str) -> ProvenClient | None: ...


@statement(f"SELECT {_COLUMNS} FROM platform.identity_client WHERE owner = :owner ORDER BY created_at, client_id")
async def list_clients(connection: Connection, owner: str) -> list[DeveloperClient]: ...


# Without this lock, two concurrent additions could exceed the maximum number of clients.
@statement("SELECT pg_advisory_xact_lock(hashtextextended('identity.client ' || :owner, 0))")
async def lock_owner(connection: Connection, owner: str) -> None: ...


@statement("""
INSERT INTO platform.identity_client
    (client_id, owner, name, secret_hash, redirect_uris, scopes, access_seconds, refresh_seconds)
SELECT :client_id, :owner, :name, :secret_hash, :redirect_uris, :scopes, :access_seconds, :refresh_seconds
WHERE (SELECT count(*) FROM platform.identity_client WHERE owner = :owner) < :most
RETURNING client_id
""")
async def add_client(
    connection: Connection,
    client_id: str,
    owner: str,
    name: str,
    secret_hash: bytes,
    redirect_uris: list[str],
    scopes: list[str],
    access_seconds: int,
    refresh_seconds: int,
    most: int,
) -> str | None:
    """Add a client and return its id. Return None if the owner already has the maximum number of clients."""


@statement("""
UPDATE platform.identity_client SET secret_hash = :secret_hash WHERE client_id = :client_id AND owner = :owner
RETURNING client_id
""")
async def renew_secret(connection: Connection, client_id: str, owner: str, secret_hash: bytes) -> str | None: ...


@statement("""
WITH ended AS (
    DELETE FROM platform.identity_client WHERE client_id = :client_id AND owner = :owner RETURNING client_id
), without_grants AS (
    DELETE FROM platform.identity_grant AS granted USING ended WHERE granted.client = ended.client_id
)
SELECT client_id FROM ended
""")
async def end_client(connection: Connection, client_id: str, owner: str) -> str | None:
    """Delete a client and all its grants. Return its id, or None if the owner has no such client."""
