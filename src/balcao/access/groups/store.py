"""SQL for groups, their roles and their members."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from balcao.access.groups.schemas import Attributes, Group, Member
from balcao.access.records import Role
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf

_MEMBERS = """
id, name, description, created_by, created_at, attributes,
(SELECT count(*) FROM access.membership WHERE group_id = grp.id) AS member_count
"""


@statement(f"""
INSERT INTO access.grp (name, description, attributes, origin, created_by)
VALUES (:name, :description, :attributes::jsonb, 'custom', :created_by)
ON CONFLICT (name) DO NOTHING
RETURNING {_MEMBERS}
""")
async def insert_group(
    connection: Connection, name: str, description: str, attributes: Attributes, created_by: str | None
) -> Group | None:
    """Return the new group, or None if the name exists."""


@statement(f"""
SELECT {_MEMBERS} FROM access.grp WHERE starts_with(lower(name), lower(:prefix)) ORDER BY name COLLATE "C"
""")
async def list_groups(connection: Connection, prefix: str) -> list[Group]:
    """Return the groups whose names start with the prefix (ignoring case), sorted by name."""


@lookup(f"SELECT {_MEMBERS} FROM access.grp WHERE name = :name")
async def select_group(source: Source, name: str) -> Group | None: ...


@statement("UPDATE access.grp SET description = :description, attributes = :attributes::jsonb WHERE id = :id")
async def update_group(connection: Connection, group: Group) -> None: ...


@dataclass(frozen=True)
class FoundGroup:
    """A group. `roles` contains the ids of its roles."""

    id: int
    name: str
    description: str
    roles: list[int]
    attributes: dict[str, list[str]]


@statement("""
SELECT id, name, description, attributes,
       ARRAY(SELECT role_id FROM access.group_role WHERE group_id = grp.id) AS roles
FROM access.grp
WHERE name = :name
""")
async def find_group(connection: Connection, name: str) -> FoundGroup | None: ...


@statement("SELECT attributes FROM access.grp WHERE attributes ? 'manages'")
async def list_managing_attributes(connection: Connection) -> list[Json[Attributes]]:
    """Return the attributes of all groups whose members manage members of other groups."""


class GroupContents(NamedTuple):
    """The names of a group's roles, and the CPFs of its members."""

    roles: list[str]
    members: list[Cpf]


@statement("""
SELECT ARRAY(
           SELECT role.name FROM access.group_role JOIN access.role ON role.id = role_id
           WHERE group_id = :group_id ORDER BY role.name COLLATE "C") AS roles,
       ARRAY(
           SELECT cpf FROM access.membership JOIN access.person ON person.id = person_id
           WHERE group_id = :group_id ORDER BY joined_at, person_id) AS members
""")
async def read_group_contents(connection: Connection, group_id: int) -> GroupContents: ...


@statement("DELETE FROM access.grp WHERE id = :group_id")
async def delete_group(connection: Connection, group_id: int) -> None:
    """Delete the group with its roles and memberships."""


@statement("""
SELECT role.id, role.name, role.description, role.created_by,
       CASE role.origin WHEN 'custom' THEN role.created_at END AS created_at
FROM access.group_role
JOIN access.role ON role.id = role_id
WHERE group_id = :group_id
ORDER BY role.name COLLATE "C"
""")
async def select_group_roles(connection: Connection, group_id: int) -> list[Role]:
    """Return the group's roles, sorted by name."""


@statement("""
INSERT INTO access.group_role (group_id, role_id, granted_by) VALUES (:group_id, :role_id, :granted_by)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def insert_group_role(connection: Connection, group_id: int, role_id: int, granted_by: str | None) -> bool:
    """Give the group the role. Return False if the group already has it."""


@statement("DELETE FROM access.group_role WHERE group_id = :group_id AND role_id = :role_id")
async def delete_group_role(connection: Connection, group_id: int, role_id: int) -> bool:
    """Remove the role from the group. Return False if the group does not have it."""


@statement(
    page_sql(
        """
        SELECT cpf AS subject, display_name, joined_at, added_by
        FROM access.membership
        JOIN access.person ON person.id = person_id
        WHERE group_id = :group_id
        ORDER BY joined_at DESC, person_id DESC
        LIMIT :limit OFFSET :skip
        """,
        "SELECT count(*) FROM access.membership WHERE group_id = :group_id",
    )
)
async def select_members(connection: Connection, group_id: int, limit: int | None, skip: int) -> Paged[Member]:
    """Return a page of the group's members, newest first, and the total number of members.

    A `limit` of None means no limit.
    """


@statement("""
INSERT INTO access.membership (group_id, person_id, added_by) VALUES (:group_id, :person_id, :added_by)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def insert_member(connection: Connection, group_id: int, person_id: int, added_by: str | None) -> bool:
    """Add the person to the group. Return False if they are already a member."""


@statement("""
DELETE FROM access.membership USING access.person
WHERE group_id = :group_id AND person.id = person_id AND cpf = :cpf
""")
async def delete_member(connection: Connection, group_id: int, cpf: Cpf) -> bool:
    """Remove the person from the group. Return False if they are not a member."""


# Remove no members from a group that gives an administrative role: its deletion may still be rejected as a whole.
@statement("""
WITH leaving AS (
    SELECT person_id FROM access.membership
    WHERE group_id = :group_id AND NOT EXISTS (
        SELECT FROM access.group_role JOIN access.role ON role.id = role_id
        WHERE group_id = :group_id AND administrative)
    ORDER BY joined_at, person_id OFFSET :kept LIMIT :kept)
DELETE FROM access.membership USING access.person
WHERE group_id = :group_id AND person.id = membership.person_id AND person.id IN (SELECT person_id FROM leaving)
RETURNING cpf
""")
async def remove_members_beyond(connection: Connection, group_id: int, kept: int) -> list[Cpf]:
    """Keep the group's first `kept` members, and remove at most `kept` others. Return the removed members' CPFs."""


@statement("""
INSERT INTO access.grp (name, description, origin)
SELECT item.name, item.description, 'shipped'
FROM jsonb_to_recordset(:groups::jsonb) AS item(name text, description text)
ON CONFLICT (name) DO NOTHING
RETURNING name
""")
async def add_groups(connection: Connection, groups: Sequence[Any]) -> list[str]:
    """Add the groups whose names do not exist yet, and return their names."""


@statement("""
WITH made AS (
    INSERT INTO access.group_role (group_id, role_id)
    SELECT grp.id, role.id
    FROM jsonb_to_recordset(:group_roles::jsonb) AS item("group" text, role text)
    JOIN access.grp ON grp.name = item."group" AND grp.origin = 'shipped'
    JOIN access.role ON role.name = item.role AND role.origin = 'shipped'
    ON CONFLICT DO NOTHING
    RETURNING group_id, role_id)
SELECT grp.name AS "group", role.name AS role
FROM made
JOIN access.grp ON grp.id = made.group_id
JOIN access.role ON role.id = made.role_id
""")
async def add_group_roles(connection: Connection, group_roles: Sequence[Any]) -> list[dict[str, str]]:
    """Give roles of the seed data to groups of the seed data, and return the new pairs.

    Groups and roles that the city created are skipped.
    """


OFFERED = (
    add_group_roles,
    add_groups,
)
