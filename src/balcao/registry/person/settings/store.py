"""SQL for a citizen's settings. Without a row, the defaults apply."""

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@lookup("SELECT firstlogin FROM registry.settings WHERE cpf = :cpf")
async def read_first_login_flag(source: Source, cpf: Cpf) -> bool | None: ...


@statement(f"""
WITH ended AS (
    INSERT INTO registry.settings (cpf, firstlogin) VALUES (:cpf, false)
    ON CONFLICT (cpf) DO UPDATE SET firstlogin = false
    RETURNING true
)
{record_sql(":trail::jsonb", "ended")}
""")
async def end_first_login(connection: Connection, cpf: Cpf, trail: str) -> None: ...


@lookup("SELECT avatar_id::text FROM registry.settings WHERE cpf = :cpf")
async def read_chosen_avatar(source: Source, cpf: Cpf) -> str | None:
    """Return the id of the chosen avatar, or None."""


# FOR SHARE makes the deactivation of an avatar wait until concurrent choices have committed, so that it clears these
# choices too. If the deactivation was first, this statement does not find the avatar.
@statement(f"""
WITH offered AS MATERIALIZED (
    SELECT id FROM registry.avatar WHERE id = :avatar_id::text::uuid AND is_active FOR SHARE
), chosen AS (
    INSERT INTO registry.settings (cpf, avatar_id) SELECT :cpf, id FROM offered
    ON CONFLICT (cpf) DO UPDATE SET avatar_id = excluded.avatar_id
    RETURNING true
), recorded AS (
    {record_sql(":trail::jsonb", "chosen")}
)
SELECT true FROM chosen
""")
async def set_chosen_avatar(connection: Connection, cpf: Cpf, avatar_id: str, trail: str) -> bool:
    """Store the choice. Return False if the avatar is not offered."""


@statement(f"""
WITH removed AS (
    UPDATE registry.settings SET avatar_id = NULL WHERE cpf = :cpf AND avatar_id IS NOT NULL RETURNING true
), recorded AS (
    {record_sql(":trail::jsonb", "(VALUES (true)) AS always")}
)
SELECT true FROM removed
""")
async def remove_chosen_avatar(connection: Connection, cpf: Cpf, trail: str) -> None:
    """Remove the choice. Write the audit event even if there was no choice."""


@statement("UPDATE registry.settings SET avatar_id = NULL WHERE cpf = :cpf AND avatar_id IS NOT NULL")
async def erase_chosen_avatar(connection: Connection, cpf: Cpf) -> int:
    """Remove the choice. Return 1 if it existed, otherwise 0. The caller must record the erasure."""


@statement("UPDATE registry.settings SET avatar_id = NULL WHERE avatar_id = :avatar_id::text::uuid")
async def clear_chosen_avatar(connection: Connection, avatar_id: str) -> None:
    """Clear the avatar from every citizen who chose it."""


@statement("SELECT count(*) FROM registry.settings WHERE cpf = :cpf")
async def count_settings(connection: Connection, cpf: Cpf) -> int: ...


OFFERED = (
    clear_chosen_avatar,
    erase_chosen_avatar,
    read_chosen_avatar,
    remove_chosen_avatar,
    set_chosen_avatar,
)
