"""SQL for the people who have forms open. All times come from the database's clock."""

from datetime import timedelta
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("""
INSERT INTO panel.presence (place, subject_key, name) VALUES (:place, :subject_key, :name)
ON CONFLICT (place, subject_key) DO UPDATE SET name = excluded.name, seen_at = now()
""")
async def write_presence(connection: Connection, place: bytes, subject_key: bytes, name: bytes) -> None: ...


@statement("""
SELECT name FROM panel.presence
WHERE place = :place AND subject_key <> :subject_key AND seen_at > now() - :lasting::interval
ORDER BY seen_at DESC LIMIT :most
""")
async def list_others(
    connection: Connection, place: bytes, subject_key: bytes, lasting: timedelta, most: int
) -> list[bytes]: ...


@statement("DELETE FROM panel.presence WHERE place = :place AND subject_key = :subject_key")
async def delete_presence(connection: Connection, place: bytes, subject_key: bytes) -> None: ...


# Delete at most 1,000 rows, so that the statement holds its locks only briefly. The next call deletes more.
@statement("""
DELETE FROM panel.presence
WHERE (place, subject_key) IN
    (SELECT place, subject_key FROM panel.presence WHERE seen_at < now() - :lasting::interval LIMIT 1000)
""")
async def delete_old_presence(connection: Connection, lasting: timedelta) -> int: ...


# Lock order: the row stays locked until the same transaction has stored the draft. If `end_opening` runs first, no
# draft is stored. If it runs second, it waits for the draft.
@statement("""
INSERT INTO panel.form_opening (id, is_over) VALUES (:id, false)
ON CONFLICT (id) DO UPDATE SET touched_at = now() WHERE NOT form_opening.is_over
RETURNING id
""")
async def touch_opening(connection: Connection, id: UUID) -> UUID | None:
    """Return the id, or None if the opening is over."""


@statement("""
INSERT INTO panel.form_opening (id, is_over) VALUES (:id, true)
ON CONFLICT (id) DO UPDATE SET is_over = true, touched_at = now()
""")
async def end_opening(connection: Connection, id: UUID) -> None: ...


# Delete at most 1,000 rows, for the same reason as in `delete_old_presence`.
@statement("""
DELETE FROM panel.form_opening
WHERE id IN (SELECT id FROM panel.form_opening WHERE touched_at < now() - :kept::interval LIMIT 1000)
""")
async def delete_old_openings(connection: Connection, kept: timedelta) -> int: ...
