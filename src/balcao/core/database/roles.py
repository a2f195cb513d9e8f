"""The role under which the services connect: made or found when the owner migrates, and never the owner (ADR 0005)."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import asyncpg

from balcao.core.database.pool import APPLICATION_ROLE, Connection


class RoleError(Exception):
    """The roles of the database are not what the services need; the text tells the operator what to do."""


# The panel's: it reaches one schema, that of the sessions, and no service's.
PANEL_ROLE, PANEL_SCHEMA = "balcao_panel", "panel"


@dataclass(frozen=True)
class ApplicationRole:
    """The role that the migrations grant to, and as whom the services log in: itself, a member or, None, the owner.

    `panel` is the panel's own; where `shares_login`, the panel has no login of its own and takes the services'.
    """

    name: str = APPLICATION_ROLE
    login: str | None = APPLICATION_ROLE
    panel: str = PANEL_ROLE
    shares_login: bool = False

    def grant_to(self, sql: str) -> str:
        """Return a migration's statements with this role in the place of the usual one."""
        return re.sub(rf"\b{APPLICATION_ROLE}\b", self.name, sql)


async def prepare_panel(connection: asyncpg.Connection, application: ApplicationRole) -> None:
    """Give the panel's role its own schema, and make the role where that may be done.

    Where it may not be, an administrator makes it before the panel is switched on; the services need none.
    """
    role = application.panel
    if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", role):
        with suppress(asyncpg.InsufficientPrivilegeError, asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
            async with connection.transaction():
                await connection.execute(f"CREATE ROLE {role} LOGIN")
        if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", role):
            return
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    await connection.execute(f"""
        GRANT CONNECT ON DATABASE {database} TO {role};
        GRANT USAGE ON SCHEMA {PANEL_SCHEMA} TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {PANEL_SCHEMA} TO {role};
    """)
    if application.shares_login:
        login = await connection.fetchval("SELECT quote_ident(COALESCE($1, current_user))", application.login)
        # A role that another installation on this server made is its maker's to give: an administrator does it.
        with suppress(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.execute(f"GRANT {role} TO {login}")


# A role or a login that does not exist has null in its columns.
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
    """Create the role where it is missing and let the services' login take it, in a database of the owner's.

    Raises RoleError with the statements that an administrator must run, where the owner may not run them.
    """
    statements = await _list_missing(connection, role)
    try:
        async with connection.transaction():
            for statement in statements:
                await connection.execute(statement)
    except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        # Another installation on the same server has just made it; the server's roles know no migrators' lock.
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
    """Return a statement as it is printed: a login needs a password, which we know no better than they do."""
    return f"{statement} PASSWORD '<a de BALCAO_DATABASE_URL>'" if statement.endswith(" LOGIN") else statement


async def _list_missing(connection: asyncpg.Connection, role: ApplicationRole) -> list[str]:
    """Return the statements without which the services could not connect."""
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
    """Raise RoleError for a database whose migrations have granted everything to a role of another name."""
    holders = [row[0] for row in await connection.fetch(_HOLDERS)]
    if holders and role.name not in holders:
        raise RoleError(
            f"Este banco foi preparado para o papel {', '.join(holders)}, e BALCAO_DATABASE_ROLE diz {role.name}: "
            "escreva ali o nome com que o banco foi preparado."
        )


_MIGHTY = """
SELECT session_user AS login
FROM pg_roles, pg_namespace
WHERE rolname = session_user AND nspname = 'platform'
  AND (rolsuper OR rolcreaterole OR pg_has_role(session_user, nspowner, 'MEMBER'))
"""


async def find_mighty_login(connection: Connection) -> str | None:
    """Return the login of this session where it could become the owner or any other role; None where it could not.

    Such a login leaves the role that it took with one statement, and nothing is append-only any more.
    """
    login: str | None = await connection.fetchval(_MIGHTY)
    return login


async def check_login(connection: Connection) -> None:
    """Raise RoleError where the services' login could become the owner."""
    if login := await find_mighty_login(connection):
        raise RoleError(
            f"BALCAO_DATABASE_URL entra no banco como {login}, que pode assumir o papel do dono das tabelas. Dê aos "
            "serviços um usuário próprio, sem esse direito, e escreva o do dono em BALCAO_DATABASE_OWNER_URL."
        )


async def owns(connection: Connection) -> bool:
    """Return whether this session may do what the owner of the tables may."""
    found: bool | None = await connection.fetchval(
        "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'platform'"
    )
    return bool(found)


# A schema in which the session's role may look into nothing: its grants were lost, or never made.
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
    """Return those of the schemas in which the session has no rights; one that is missing has none to give."""
    return [row[0] for row in await connection.fetch(_CLOSED, list(schemas))]


_ELSEWHERE = """
SELECT DISTINCT datname::text
FROM pg_shdepend JOIN pg_database ON pg_database.oid = dbid
WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1::text::regrole AND datname <> current_database()
ORDER BY datname
"""


async def list_other_databases(connection: Connection, role: str) -> list[str]:
    """Return the server's other databases in which the role has rights: another installation should have its own."""
    return [row[0] for row in await connection.fetch(_ELSEWHERE, role)]


async def describe_session(connection: Connection) -> tuple[str, str]:
    """Return the server's version and the login of this session."""
    row = await connection.fetchrow("SELECT current_setting('server_version'), session_user::text")
    return row[0], row[1]
