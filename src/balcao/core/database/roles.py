"""The database role of the services. The migration creates it, and it is never the owner (ADR 0005)."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import asyncpg

from balcao.core.database.pool import APPLICATION_ROLE, Connection


class RoleError(Exception):
    """The database roles do not meet the services' requirements. The message is an instruction to the operator."""


# The role of a surface, such as the panel, has access to one schema, which stores its sessions, and to no schema of a
# service.
PANEL_ROLE, PANEL_SCHEMA = "balcao_panel", "panel"
SITE_ROLE, SITE_SCHEMA = "balcao_site", "site"


@dataclass(frozen=True)
class ApplicationRole:
    """The role to which migrations grant rights, and the login of the services.

    `login` is the role itself or a member of it. If `login` is None, the services log in as the owner. `panel` and
    `site` are the roles of the surfaces. The surfaces in `sharing_login` use the services' login instead of their own.
    """

    name: str = APPLICATION_ROLE
    login: str | None = APPLICATION_ROLE
    panel: str = PANEL_ROLE
    site: str = SITE_ROLE
    sharing_login: frozenset[str] = frozenset()

    @property
    def surfaces(self) -> dict[str, str]:
        """Return the role of each surface by the schema that it may use."""
        return {PANEL_SCHEMA: self.panel, SITE_SCHEMA: self.site}

    def grant_to(self, sql: str) -> str:
        """Replace the default role name in a migration with this role."""
        return re.sub(rf"\b{APPLICATION_ROLE}\b", self.name, sql)


async def prepare_surface(connection: asyncpg.Connection, application: ApplicationRole, schema: str) -> None:
    """If this login may create roles, create a surface's role and grant it access to the surface's schema.

    If the role is missing and cannot be created, do nothing: an administrator must create it before using the surface.
    """
    role = application.surfaces[schema]
    if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", role):
        with suppress(asyncpg.InsufficientPrivilegeError, asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
            async with connection.transaction():
                await connection.execute(f"CREATE ROLE {role} LOGIN")
        if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", role):
            return
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    await connection.execute(f"""
        GRANT CONNECT ON DATABASE {database} TO {role};
        GRANT USAGE ON SCHEMA {schema} TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
    """)
    if schema in application.sharing_login:
        login = await connection.fetchval("SELECT quote_ident(COALESCE($1, current_user))", application.login)
        # If another installation on this server created the role, only its creator or an administrator may grant it.
        with suppress(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.execute(f"GRANT {role} TO {login}")


# With the LEFT JOINs, a role or login that does not exist has nulls.
_STATE = """
SELECT quote_ident(current_user) AS owner, quote_ident(current_database()) AS database,
       has_database_privilege(current_database(), 'CREATE') AS is_owner,
       role.rolname IS NOT NULL AS found, role.rolcanlogin AS can_login,
       quote_ident(asked.login) AS login, login.rolsuper OR pg_has_role(login.oid, role.oid, 'MEMBER') AS is_member
FROM (SELECT COALESCE($2::text, current_user) AS login) asked
    LEFT JOIN pg_roles role ON role.rolname = $1::text
    LEFT JOIN pg_roles login ON login.rolname = asked.login
"""


async def prepare_role(connection: asyncpg.Connection, role: ApplicationRole) -> None:
    """Create the role if it is missing, and grant it to the services' login.

    If this connection's login may not create schemas yet, it also becomes the owner of the database. Raises RoleError
    with the statements for an administrator if this login may not run them.
    """
    statements = await _list_missing(connection, role)
    try:
        async with connection.transaction():
            for statement in statements:
                await connection.execute(statement)
    except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        # Another installation on this server has just created the role: roles belong to the whole server, but the
        # migration lock covers only one database. Check again, and run the statements that are still needed.
        await prepare_role(connection, role)
    except asyncpg.InsufficientPrivilegeError:
        owner = await connection.fetchval("SELECT current_user")
        wanted = "\n".join(f"    {_for_administrator(statement)};" for statement in statements)
        raise RoleError(
            f"O usuário {owner} não pode preparar sozinho este banco e o papel {role.name}, com que os serviços "
            f"trabalham. Peça a quem administra o PostgreSQL que execute, uma única vez:\n{wanted}\n"
            "e repita `balcao migrate`. Cada instalação no mesmo servidor tem o seu papel: o nome está em "
            "BALCAO_DATABASE_ROLE."
        ) from None


def _for_administrator(statement: str) -> str:
    """Return the statement for the administrator, with a placeholder for the password of a new login."""
    return f"{statement} PASSWORD '<a de BALCAO_DATABASE_URL>'" if statement.endswith(" LOGIN") else statement


async def _list_missing(connection: asyncpg.Connection, role: ApplicationRole) -> list[str]:
    """Return the statements that are still needed before the services can connect."""
    state = await connection.fetchrow(_STATE, role.name, role.login)
    alone = role.login == role.name
    statements = [] if state["is_owner"] else [f"ALTER DATABASE {state['database']} OWNER TO {state['owner']}"]
    if not state["found"]:
        statements.append(f"CREATE ROLE {role.name} {'LOGIN' if alone else 'NOLOGIN'}")
    elif alone and not state["can_login"]:
        statements.append(f"ALTER ROLE {role.name} LOGIN")
    if not alone and not state["is_member"]:
        statements.append(f"GRANT {role.name} TO {state['login']}")
    return statements


_HOLDERS = """
SELECT grantee::regrole::text
FROM pg_namespace, aclexplode(nspacl)
WHERE nspname = 'platform' AND privilege_type = 'USAGE' AND grantee NOT IN (0, nspowner)
"""


async def check_unchanged(connection: asyncpg.Connection, role: ApplicationRole) -> None:
    """Raise RoleError if the migrations granted the rights to another role."""
    holders = [row[0] for row in await connection.fetch(_HOLDERS)]
    if holders and role.name not in holders:
        raise RoleError(
            f"Este banco foi preparado para o papel {', '.join(holders)}, e BALCAO_DATABASE_ROLE diz {role.name}: "
            "escreva ali o nome com que o banco foi preparado."
        )


_PRIVILEGED = """
SELECT session_user AS login
FROM pg_roles, pg_namespace
WHERE rolname = session_user AND nspname = 'platform'
  AND (rolsuper OR rolcreaterole OR pg_has_role(session_user, nspowner, 'MEMBER'))
"""


async def find_privileged_login(connection: Connection) -> str | None:
    """Return the login of this session if it could become the owner or any other role, else None.

    With such a login, one SET ROLE would remove the restrictions of the services' role, so no table would be
    append-only.
    """
    login: str | None = await connection.fetchval(_PRIVILEGED)
    return login


async def check_login(connection: Connection) -> None:
    """Raise RoleError if the services' login could become the owner."""
    if login := await find_privileged_login(connection):
        raise RoleError(
            f"BALCAO_DATABASE_URL entra no banco como {login}, que pode assumir o papel do dono das tabelas. Dê aos "
            "serviços um usuário próprio, sem esse direito, e escreva o do dono em BALCAO_DATABASE_OWNER_URL."
        )


async def owns(connection: Connection) -> bool:
    """Return whether this session has the rights of the tables' owner."""
    found: bool | None = await connection.fetchval(
        "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'platform'"
    )
    return bool(found)


# The schemas in which the session's role can read no table, because grants are missing or were revoked.
_CLOSED = """
SELECT nspname::text
FROM pg_namespace
WHERE nspname = ANY($1::text[])
  AND (NOT has_schema_privilege(pg_namespace.oid, 'USAGE')
       OR NOT EXISTS (
           SELECT FROM pg_class
           WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'p')
             AND has_table_privilege(pg_class.oid, 'SELECT')))
ORDER BY nspname
"""


async def list_closed_schemas(connection: Connection, schemas: Iterable[str]) -> list[str]:
    """Return the schemas in which the session can read nothing. Ignore schemas that do not exist."""
    return [row[0] for row in await connection.fetch(_CLOSED, list(schemas))]


_ELSEWHERE = """
SELECT DISTINCT datname::text
FROM pg_shdepend JOIN pg_database ON pg_database.oid = dbid
WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1::text::regrole AND datname <> current_database()
ORDER BY datname
"""


async def list_other_databases(connection: Connection, role: str) -> list[str]:
    """Return the other databases on the server in which the role has rights. Each installation needs its own role."""
    return [row[0] for row in await connection.fetch(_ELSEWHERE, role)]


async def describe_session(connection: Connection) -> tuple[str, str]:
    """Return the server's version and this session's login."""
    row = await connection.fetchrow("SELECT current_setting('server_version'), session_user::text")
    return row[0], row[1]
