"""SQL for avatars. Rows are never deleted."""

from datetime import datetime
from typing import NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import name_order_sql
from balcao.core.database.statements import statement
from balcao.core.values.page import Page

_COLUMNS = "id::text, name, url, image, is_active, created_at"
_BY_NAME = f"{name_order_sql('name')}, id"


class StoredAvatar(NamedTuple):
    """An avatar with the URL of its picture, or with the name of its built-in picture."""

    id: str
    name: str
    url: str | None
    image: str | None
    is_active: bool
    created_at: datetime


@statement(f"SELECT {_COLUMNS} FROM registry.avatar WHERE is_active ORDER BY {_BY_NAME} LIMIT :limit OFFSET :offset")
async def list_offered_avatars(connection: Connection, page: Page) -> list[StoredAvatar]:
    """Return one page of avatars, sorted by name."""


@statement("SELECT count(*) FROM registry.avatar WHERE is_active")
async def count_offered_avatars(connection: Connection) -> int: ...


@lookup(f"SELECT {_COLUMNS} FROM registry.avatar WHERE is_active AND id = :id_::text::uuid")
async def read_offered_avatar(source: Source, id_: str) -> StoredAvatar | None: ...


@lookup("SELECT image FROM registry.avatar WHERE id = :id_::text::uuid")
async def read_avatar_image(source: Source, id_: str) -> str | None:
    """Return the name of the avatar's built-in picture, or None. This also finds inactive avatars."""


@statement(f"INSERT INTO registry.avatar (id, name, url) VALUES (:id_::text::uuid, :name, :url) RETURNING {_COLUMNS}")
async def insert_avatar(connection: Connection, id_: str, name: str, url: str) -> StoredAvatar: ...


@statement("UPDATE registry.avatar SET is_active = false WHERE id = :id_::text::uuid")
async def mark_avatar_inactive(connection: Connection, id_: str) -> bool:
    """Stop offering the avatar. Return whether it exists."""
