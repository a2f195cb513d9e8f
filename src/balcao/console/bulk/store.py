"""Statements on long work."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class StoredWork(NamedTuple):
    """`content` is sealed; `is_still` of work that nobody has gone on with for a while, and that is not over."""

    id: UUID
    content: bytes
    total: int
    done: int
    failed: int
    begun_at: datetime
    ended_at: datetime | None
    is_still: bool


@statement("""
INSERT INTO console.bulk_work (id, subject_key, content, total) VALUES (:id, :subject_key, :content, :total)
""")
async def insert_work(connection: Connection, id: UUID, subject_key: bytes, content: bytes, total: int) -> None: ...


@statement("""
SELECT id, content, total, done, failed, begun_at, ended_at,
       ended_at IS NULL AND worked_at < now() - :patience::interval AS is_still
FROM console.bulk_work
WHERE subject_key = :subject_key AND id = :id
""")
async def find_work(connection: Connection, subject_key: bytes, id: UUID, patience: timedelta) -> StoredWork | None: ...


@statement("""
SELECT id, content, total, done, failed, begun_at, ended_at,
       ended_at IS NULL AND worked_at < now() - :patience::interval AS is_still
FROM console.bulk_work
WHERE subject_key = :subject_key AND begun_at > now() - :kept::interval
ORDER BY begun_at DESC LIMIT 10
""")
async def list_recent_work(
    connection: Connection, subject_key: bytes, patience: timedelta, kept: timedelta
) -> list[StoredWork]: ...


@statement("""
UPDATE console.bulk_work SET worked_at = now()
WHERE id = :id AND subject_key = :subject_key AND ended_at IS NULL AND worked_at < now() - :patience::interval
""")
async def take_over(connection: Connection, id: UUID, subject_key: bytes, patience: timedelta) -> bool:
    """Return whether the caller goes on with work that stands still: one at a time does."""


@statement("""
UPDATE console.bulk_work
SET content = :content, done = :done, failed = :failed, worked_at = now(),
    ended_at = CASE WHEN :done::int + :failed::int >= total THEN now() END
WHERE id = :id
""")
async def write_progress(connection: Connection, id: UUID, content: bytes, done: int, failed: int) -> None: ...


@statement("""
DELETE FROM console.bulk_work
WHERE id IN (SELECT id FROM console.bulk_work WHERE begun_at < now() - :kept::interval LIMIT 1000)
""")
async def delete_old_work(connection: Connection, kept: timedelta) -> int: ...
