"""SQL for roles and their grants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from balcao.access.records import Role
from balcao.access.roles.schemas import GrantedAction
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf

# A role from the seed data has no author, and its creation time is not returned.
_MEMBERS = "id, name, description, created_by, CASE origin WHEN 'custom' THEN created_at END AS created_at"


@statement(f"""
INSERT INTO access.role (name, description, origin, created_by) VALUES (:name, :description, 'custom', :created_by)
ON CONFLICT (name) DO NOTHING
RETURNING {_MEMBERS}
""")
async def insert_role(connection: Connection, name: str, description: str, created_by: str | None) -> Role | None:
    """Return the new role, or None if the name exists."""


@statement(
    page_sql(
        f'SELECT {_MEMBERS} FROM access.role ORDER BY name COLLATE "C" LIMIT :limit OFFSET :skip',
        "SELECT count(*) FROM access.role",
    )
)
async def select_roles(connection: Connection, limit: int, skip: int) -> Paged[Role]:
    """Return a page of roles, sorted by name, and the total number of roles."""


@lookup(f"SELECT {_MEMBERS} FROM access.role WHERE name = :name")
async def select_role(source: Source, name: str) -> Role | None: ...


@dataclass(frozen=True)
class FoundRole:
    """A role. `groups` contains the names of the groups that give it to their members."""

    id: int
    name: str
    description: str
    administrative: bool
    groups: list[str]


@statement("""
SELECT id, name, description, administrative,
       ARRAY(
           SELECT grp.name FROM access.group_role JOIN access.grp ON grp.id = group_id
           WHERE role_id = role.id ORDER BY grp.name COLLATE "C") AS groups
FROM access.role
WHERE name = :name
""")
async def find_role(connection: Connection, name: str) -> FoundRole | None: ...


@statement("DELETE FROM access.role WHERE id = :role_id")
async def delete_role(connection: Connection, role_id: int) -> None:
    """Delete the role with its grants and its direct assignments."""


@statement(f"UPDATE access.role SET description = :description WHERE id = :role_id RETURNING {_MEMBERS}")
async def update_role(connection: Connection, role_id: int, description: str) -> Role:
    """Set the description, and return the role."""


class RoleUses(NamedTuple):
    """The names of the actions that a role grants, and the CPFs of the people who have it directly."""

    actions: list[str]
    people: list[Cpf]


@statement("""
SELECT ARRAY(
           SELECT action.name FROM access.role_action JOIN access.action ON action.id = action_id
           WHERE role_id = :role_id ORDER BY action.name COLLATE "C") AS actions,
       ARRAY(
           SELECT cpf FROM access.person_role JOIN access.person ON person.id = person_id
           WHERE role_id = :role_id ORDER BY person_id) AS people
""")
async def read_role_uses(connection: Connection, role_id: int) -> RoleUses: ...


# An administrative role grants every action.
@statement("""
SELECT id, name, description FROM access.action
WHERE :administrative OR id IN (SELECT action_id FROM access.role_action WHERE role_id = :role.id)
ORDER BY name COLLATE "C"
""")
async def select_granted_actions(connection: Connection, role: FoundRole) -> list[GrantedAction]:
    """Return the actions that the role grants, sorted by name."""


@dataclass(frozen=True)
class FoundAction:
    id: int
    name: str
    code_key: str | None


@statement("SELECT id, name, code_key FROM access.action WHERE name = :name")
async def find_action_named(connection: Connection, name: str) -> FoundAction | None: ...


@statement("""
INSERT INTO access.role_action (role_id, action_id, granted_by) VALUES (:role_id, :action_id, :granted_by)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def insert_role_action(connection: Connection, role_id: int, action_id: int, granted_by: str | None) -> bool:
    """Grant the action to the role. Return False if the role already grants it."""


@statement("DELETE FROM access.role_action WHERE role_id = :role_id AND action_id = :action_id")
async def delete_role_action(connection: Connection, role_id: int, action_id: int) -> bool:
    """Revoke the action from the role. Return False if the role does not grant it."""


@statement("""
DELETE FROM access.role_action USING access.role
WHERE action_id = :action_id AND role.id = role_id AND role_id IN (
    SELECT role_id FROM access.role_action WHERE action_id = :action_id ORDER BY role_id OFFSET :kept LIMIT :kept)
RETURNING role_id, name
""")
async def revoke_action_beyond(connection: Connection, action_id: int, kept: int) -> list[tuple[int, str]]:
    """Keep the first `kept` grants of the action, and revoke at most `kept` others.

    Return the ids and names of the roles that lose the action.
    """


@statement("""
INSERT INTO access.role (name, description, administrative, origin)
SELECT item.name, item.description, item.administrative, 'shipped'
FROM jsonb_to_recordset(:roles::jsonb) AS item(name text, description text, administrative boolean)
ON CONFLICT (name) DO NOTHING
RETURNING name
""")
async def add_roles(connection: Connection, roles: Sequence[Any]) -> list[str]:
    """Add the roles whose names do not exist yet, and return their names."""


@statement("""
WITH made AS (
    INSERT INTO access.role_action (role_id, action_id)
    SELECT role.id, action.id
    FROM jsonb_to_recordset(:grants::jsonb) AS item(role text, action text)
    JOIN access.role ON role.name = item.role AND role.origin = 'shipped'
    JOIN access.action ON action.code_key = item.action
    ON CONFLICT DO NOTHING
    RETURNING role_id, action_id)
SELECT role.name AS role, action.code_key AS action
FROM made
JOIN access.role ON role.id = made.role_id
JOIN access.action ON action.id = made.action_id
ORDER BY role.id, action.id
""")
async def add_grants(connection: Connection, grants: Sequence[Any]) -> list[dict[str, str]]:
    """Grant actions to roles of the seed data, and return the new grants. Skip roles that the city created."""


OFFERED = (
    add_grants,
    add_roles,
)
