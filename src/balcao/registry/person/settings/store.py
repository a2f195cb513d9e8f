"""SQL of a citizen's settings; without a row they are the defaults."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

_IS_FIRST_LOGIN = "SELECT firstlogin FROM registry.settings WHERE cpf = $1"


async def is_first_login(connection: Connection, cpf: Cpf) -> bool:
    found: bool | None = await connection.fetchval(_IS_FIRST_LOGIN, cpf.digits)
    return found is not False


_END_FIRST_LOGIN = """
INSERT INTO registry.settings (cpf, firstlogin) VALUES ($1, false)
ON CONFLICT (cpf) DO UPDATE SET firstlogin = false
"""


async def end_first_login(connection: Connection, cpf: Cpf) -> None:
    await connection.execute(_END_FIRST_LOGIN, cpf.digits)


_READ_AVATAR = "SELECT avatar_id::text FROM registry.settings WHERE cpf = $1"


async def avatar(connection: Connection, cpf: Cpf) -> str | None:
    """The id of the avatar that was chosen."""
    found: str | None = await connection.fetchval(_READ_AVATAR, cpf.digits)
    return found


_SET_AVATAR = """
INSERT INTO registry.settings (cpf, avatar_id) VALUES ($1, $2::text::uuid)
ON CONFLICT (cpf) DO UPDATE SET avatar_id = excluded.avatar_id
"""


async def set_avatar(connection: Connection, cpf: Cpf, avatar_id: str) -> None:
    await connection.execute(_SET_AVATAR, cpf.digits, avatar_id)


_REMOVE_AVATAR = "UPDATE registry.settings SET avatar_id = NULL WHERE cpf = $1 AND avatar_id IS NOT NULL RETURNING true"


async def remove_avatar(connection: Connection, cpf: Cpf) -> bool:
    """Whether there was one."""
    return bool(await connection.fetchval(_REMOVE_AVATAR, cpf.digits))


_CLEAR_AVATAR = "UPDATE registry.settings SET avatar_id = NULL WHERE avatar_id = $1::text::uuid"


async def clear_avatar(connection: Connection, avatar_id: str) -> None:
    """From every citizen who chose it."""
    await connection.execute(_CLEAR_AVATAR, avatar_id)


_COUNT = "SELECT count(*) FROM registry.settings WHERE cpf = $1"


async def count(connection: Connection, cpf: Cpf) -> int:
    found: int = await connection.fetchval(_COUNT, cpf.digits)
    return found
