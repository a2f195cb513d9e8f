"""SQL for attendances. All times come from the database's clock."""

from datetime import datetime, timedelta

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class StoredAttendance(msgspec.Struct, frozen=True):
    """One attendance with its encrypted content and the time of its last use."""

    number: int
    content: bytes
    used_at: datetime


@statement("""
INSERT INTO panel.attendance (session_key, content) VALUES (:session_key, :content) RETURNING number
""")
async def insert_attendance(connection: Connection, session_key: bytes, content: bytes) -> int: ...


# Opening an attendance counts as use and prolongs it by the full period. Listing attendances does not.
@statement("""
UPDATE panel.attendance SET used_at = now()
WHERE number = :number AND session_key = :session_key AND used_at > now() - :quiet::interval
RETURNING number, content, used_at
""")
async def use_attendance(
    connection: Connection, number: int, session_key: bytes, quiet: timedelta
) -> StoredAttendance | None: ...


@statement("""
SELECT number, content, used_at FROM panel.attendance
WHERE session_key = :session_key AND used_at > now() - :quiet::interval
ORDER BY number DESC LIMIT :most
""")
async def list_attendances(
    connection: Connection, session_key: bytes, quiet: timedelta, most: int
) -> list[StoredAttendance]: ...


# Also delete this session's expired attendances.
@statement("""
DELETE FROM panel.attendance
WHERE session_key = :session_key AND (number = :number OR used_at <= now() - :quiet::interval)
""")
async def delete_attendance(connection: Connection, number: int, session_key: bytes, quiet: timedelta) -> None: ...
