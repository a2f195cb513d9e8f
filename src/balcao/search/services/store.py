"""SQL of the services: heads and slugs."""

from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection


class ServiceHead(msgspec.Struct, frozen=True):
    """A service that exists or existed."""

    newest_version: int
    created_at: datetime
    deleted: bool


_ADD_HEAD = "INSERT INTO search.service_head (id, created_at) VALUES ($1, $2)"


async def add_head(connection: Connection, service_id: str, at: datetime) -> None:
    await connection.execute(_ADD_HEAD, service_id, at)


_LOCK_HEAD = """
SELECT next_version - 1 AS newest_version, created_at, deleted_at IS NOT NULL AS deleted
FROM search.service_head WHERE id = $1 FOR UPDATE
"""


async def lock_head(connection: Connection, service_id: str) -> ServiceHead | None:
    """Lock a service until the transaction ends; None for one that never existed."""
    row = await connection.fetchrow(_LOCK_HEAD, service_id)
    return ServiceHead(**row) if row else None


_NEXT_VERSION = """
UPDATE search.service_head SET next_version = next_version + 1, deleted_at = $2
WHERE id = $1 RETURNING next_version - 1
"""


async def take_version_number(connection: Connection, service_id: str, deleted_at: datetime | None) -> int:
    """Return the number of the version about to be written; the head is locked."""
    return int(await connection.fetchval(_NEXT_VERSION, service_id, deleted_at))


_NEWEST_NUMBER = "SELECT next_version - 1 FROM search.service_head WHERE id = $1"


async def read_newest_version(connection: Connection, service_id: str) -> int:
    """Return the newest version's number, 0 for a service that never existed."""
    return int(await connection.fetchval(_NEWEST_NUMBER, service_id) or 0)


_SLUG = "SELECT search.slug_of($1, $2, $3)"


async def compute_slug(connection: Connection, name: str, service_id: str, id_length: int) -> str:
    return str(await connection.fetchval(_SLUG, name, service_id, id_length))


_RELEASE_SLUG = "UPDATE search.service_slugs SET current = false WHERE service_id = $1 AND current"


async def release_slug(connection: Connection, service_id: str) -> None:
    """Make the present slug a former one of the service."""
    await connection.execute(_RELEASE_SLUG, service_id)


_CLAIM_SLUG = """
INSERT INTO search.service_slugs (slug, service_id, current) VALUES ($1, $2, true)
ON CONFLICT (slug) DO UPDATE SET current = true WHERE service_slugs.service_id = excluded.service_id
RETURNING slug
"""


async def claim_slug(connection: Connection, slug: str, service_id: str) -> bool:
    """Make it the service's present slug, also a former one of its own; return false when it is another service's."""
    return await connection.fetchval(_CLAIM_SLUG, slug, service_id) is not None


_FORMER_SLUGS = "SELECT slug FROM search.service_slugs WHERE service_id = $1 AND NOT current ORDER BY slug"


async def list_former_slugs(connection: Connection, service_id: str) -> list[str]:
    """Return the slugs of a service that comes back and has no row to tell its history."""
    return [row["slug"] for row in await connection.fetch(_FORMER_SLUGS, service_id)]
