"""SQL of a citizen's settings; without a row they are the defaults."""

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count
from balcao.core.values.cpf import Cpf

_IS_FIRST_LOGIN = "SELECT firstlogin FROM registry.settings WHERE cpf = $1"


async def is_first_login(connection: Connection, cpf: Cpf) -> bool:
    found: bool | None = await connection.fetchval(_IS_FIRST_LOGIN, cpf.digits)
    return found is not False


_END_FIRST_LOGIN = f"""
WITH ended AS (
    INSERT INTO registry.settings (cpf, firstlogin) VALUES ($1, false)
    ON CONFLICT (cpf) DO UPDATE SET firstlogin = false
    RETURNING true
)
{record_sql("$2::jsonb", "ended")}
"""


async def end_first_login(connection: Connection, cpf: Cpf, trail: str) -> None:
    await connection.execute(_END_FIRST_LOGIN, cpf.digits, trail)


_READ_AVATAR = "SELECT avatar_id::text FROM registry.settings WHERE cpf = $1"


async def read_avatar(connection: Connection, cpf: Cpf) -> str | None:
    """Return the id of the avatar that was chosen."""
    found: str | None = await connection.fetchval(_READ_AVATAR, cpf.digits)
    return found


# Whoever deactivates an avatar waits for those who are choosing it, and clears it from them too: the row is shared
# until the choice is committed with it, and one that was deactivated meanwhile is not found.
_SET_AVATAR = f"""
WITH offered AS MATERIALIZED (
    SELECT id FROM registry.avatar WHERE id = $2::text::uuid AND is_active FOR SHARE
), chosen AS (
    INSERT INTO registry.settings (cpf, avatar_id) SELECT $1, id FROM offered
    ON CONFLICT (cpf) DO UPDATE SET avatar_id = excluded.avatar_id
    RETURNING true
), recorded AS (
    {record_sql("$3::jsonb", "chosen")}
)
SELECT true FROM chosen
"""


async def set_avatar(connection: Connection, cpf: Cpf, avatar_id: str, trail: str) -> bool:
    """Return whether the avatar is one on offer."""
    return bool(await connection.fetchval(_SET_AVATAR, cpf.digits, avatar_id, trail))


_REMOVE_AVATAR = f"""
WITH removed AS (
    UPDATE registry.settings SET avatar_id = NULL WHERE cpf = $1 AND avatar_id IS NOT NULL RETURNING true
), recorded AS (
    {record_sql("$2::jsonb", "(VALUES (true)) AS always")}
)
SELECT true FROM removed
"""


async def remove_avatar(connection: Connection, cpf: Cpf, trail: str) -> None:
    """Take the choice back, with its trace; also when there is none."""
    await connection.execute(_REMOVE_AVATAR, cpf.digits, trail)


_ERASE_AVATAR = "UPDATE registry.settings SET avatar_id = NULL WHERE cpf = $1 AND avatar_id IS NOT NULL RETURNING true"


async def erase_avatar(connection: Connection, cpf: Cpf) -> bool:
    """Return whether there was one; the caller records the erasure."""
    return bool(await connection.fetchval(_ERASE_AVATAR, cpf.digits))


_CLEAR_AVATAR = "UPDATE registry.settings SET avatar_id = NULL WHERE avatar_id = $1::text::uuid"


async def clear_avatar(connection: Connection, avatar_id: str) -> None:
    """Clear the avatar from every citizen who chose it."""
    await connection.execute(_CLEAR_AVATAR, avatar_id)


_COUNT = "SELECT count(*) FROM registry.settings WHERE cpf = $1"


async def count(connection: Connection, cpf: Cpf) -> int:
    return await fetch_count(connection, _COUNT, cpf.digits)
