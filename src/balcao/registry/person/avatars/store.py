"""SQL of the avatars; rows are never deleted."""

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count

_COLUMNS = "id::text, name, url, image, is_active, created_at"
# Without case and accents, the same on every server.
_BY_NAME = r"""lower(regexp_replace(normalize(name, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"), id"""
_PAGE = f"SELECT {_COLUMNS} FROM registry.avatar WHERE is_active ORDER BY {_BY_NAME} LIMIT $1 OFFSET $2"
_COUNT = "SELECT count(*) FROM registry.avatar WHERE is_active"


async def list_page(connection: Connection, limit: int, offset: int) -> list[Row]:
    """Return the avatars on offer, by name."""
    return list(await connection.fetch(_PAGE, limit, offset))


async def count(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT)


_ACTIVE = f"SELECT {_COLUMNS} FROM registry.avatar WHERE is_active AND id = $1::text::uuid"


async def read_active(connection: Connection, id_: str) -> Row | None:
    return await connection.fetchrow(_ACTIVE, id_)


_IMAGE = "SELECT image FROM registry.avatar WHERE id = $1::text::uuid"


async def read_image(connection: Connection, id_: str) -> str | None:
    """Return the name of its picture if it is built in, offered or not."""
    found: str | None = await connection.fetchval(_IMAGE, id_)
    return found


_ADD = f"INSERT INTO registry.avatar (id, name, url) VALUES ($1::text::uuid, $2, $3) RETURNING {_COLUMNS}"


async def add(connection: Connection, id_: str, name: str, url: str) -> Row:
    row = await connection.fetchrow(_ADD, id_, name, url)
    assert row is not None  # an insert always returns its row
    return row


_DEACTIVATE = "UPDATE registry.avatar SET is_active = false WHERE id = $1::text::uuid RETURNING true"


async def deactivate(connection: Connection, id_: str) -> bool:
    """Stop offering the avatar; return whether there is such one."""
    return bool(await connection.fetchval(_DEACTIVATE, id_))
