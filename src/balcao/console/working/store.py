"""SQL of who has which form open, by the clock of the database."""

from datetime import timedelta

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("""
INSERT INTO console.presence (place, subject_key, name) VALUES (:place, :subject_key, :name)
ON CONFLICT (place, subject_key) DO UPDATE SET name = excluded.name, seen_at = now()
""")
async def write_presence(connection: Connection, place: bytes, subject_key: bytes, name: bytes) -> None: ...


@statement("""
SELECT name FROM console.presence
WHERE place = :place AND subject_key <> :subject_key AND seen_at > now() - :lasting::interval
ORDER BY seen_at DESC LIMIT :most
""")
async def list_others(
    connection: Connection, place: bytes, subject_key: bytes, lasting: timedelta, most: int
) -> list[bytes]: ...


@statement("DELETE FROM console.presence WHERE place = :place AND subject_key = :subject_key")
async def delete_presence(connection: Connection, place: bytes, subject_key: bytes) -> None: ...


@statement("""
DELETE FROM console.presence
WHERE (place, subject_key) IN
    (SELECT place, subject_key FROM console.presence WHERE seen_at < now() - :lasting::interval LIMIT 1000)
""")
async def delete_old_presence(connection: Connection, lasting: timedelta) -> int: ...
