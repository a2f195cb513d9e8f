"""SQL for actions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from balcao.access.actions.renaming import KnownAction
from balcao.access.actions.schemas import (
    Action,
    BoundMapping,
    GivingGroup,
    GrantingRole,
    Way,
)
from balcao.core.access.reach import describe_group
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement


@dataclass(frozen=True)
class FoundAction:
    """An action, whether it is reserved (its name cannot change), and whether another action has the new name."""

    action: Action
    reserved: bool
    name_taken: bool


@lookup("""
SELECT action.id, action.name, action.description,
       (SELECT count(*) FROM access.endpoint_mapping
        WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count,
       coalesce(action.code_key LIKE 'platform:%', false) AS reserved,
       EXISTS (SELECT FROM access.action AS other WHERE other.name = :new_name AND other.id <> action.id) AS name_taken
FROM access.action
WHERE action.id = :action_id
""")
async def find_action(source: Source, action_id: int, new_name: str | None) -> FoundAction | None:
    """Return the action, and the reasons why it cannot be renamed. `action_id` must be at most `MAX_INT64`."""


@statement("""
SELECT action.id, action.name, action.description,
       (SELECT count(*) FROM access.endpoint_mapping
        WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count,
       coalesce(action.code_key LIKE 'platform:%', false) AS reserved
FROM access.action
WHERE id = ANY(:ids::bigint[]) OR name = ANY(:names::text[])
""")
async def find_actions(connection: Connection, ids: Collection[int], names: Collection[str]) -> list[KnownAction]:
    """Return the actions with one of these ids or names. Each id must be at most `MAX_INT64`."""


async def update_actions(connection: Connection, actions: Sequence[Action]) -> None:
    """Update the actions one after the other, so that an action can get a name that an earlier update has freed."""
    await connection.executemany(_update_action.sql, [_update_action.bind([action], {}) for action in actions])


@statement("""
UPDATE access.action
SET name = :name, description = :description, row_version = row_version + 1, updated_at = now()
WHERE id = :id
""")
async def _update_action(connection: Connection, action: Action) -> None: ...


@statement("""
SELECT name FROM access.shipped_once
WHERE kind = 'action' AND name = ANY(:names::text[]) AND NOT EXISTS (
    SELECT FROM access.action WHERE code_key = shipped_once.name)
""")
async def list_names_of_deleted_actions(connection: Connection, names: Collection[str]) -> list[str]:
    """Return which of the names belong to deleted actions that are declared in code."""


@statement("SELECT id FROM access.action WHERE name = :name")
async def select_action_id(connection: Connection, name: str) -> int | None: ...


@statement("SELECT id FROM access.action WHERE code_key = :code_key")
async def select_action_id_by_key(connection: Connection, code_key: str) -> int | None: ...


@statement("""
INSERT INTO access.action (name, description, origin, created_by)
SELECT :name::text, :description, 'custom', :created_by
WHERE NOT EXISTS (SELECT FROM access.action WHERE name = :name)
RETURNING id
""")
async def insert_action(connection: Connection, name: str, description: str, created_by: str | None) -> int | None:
    """Return the new id, or None if the name is in use."""


@statement(
    page_sql(
        """
        SELECT id, name, description,
               (SELECT count(*) FROM access.endpoint_mapping
                WHERE action_id = action.id AND retired_at IS NULL) AS endpoint_count
        FROM (
            SELECT * FROM access.action
            WHERE position(lower(:search) IN lower(name)) > 0 ORDER BY id LIMIT :limit OFFSET :skip) AS action
        ORDER BY id
        """,
        "SELECT count(*) FROM access.action WHERE position(lower(:search) IN lower(name)) > 0",
    )
)
async def select_actions(connection: Connection, search: str, limit: int, skip: int) -> Paged[Action]:
    """Return a page of actions, sorted by id, and the total number of actions."""


class ActionUses(msgspec.Struct):
    """Everything that depends on an action, read from a single version of the catalogue."""

    version: int
    mappings: list[BoundMapping]
    custom: int
    roles: list[GrantingRole]
    groups: list[GivingGroup]
    also_checked_by: list[str]
    people_count: int

    @property
    def system(self) -> int:
        """The number of platform operations bound to the action."""
        return len(self.mappings) - self.custom


async def read_uses(connection: Connection, action_id: int) -> ActionUses:
    """Return the action's mappings, the roles that grant it, and the groups and people with these roles."""
    uses = await _read_uses(connection, action_id)
    for group in uses.groups:
        group.reach = describe_group(group.name, group.reach)
    return uses


@statement("""
WITH bound AS (
    SELECT id, method, path_pattern, service, operation_key
    FROM access.endpoint_mapping WHERE action_id = :action_id AND retired_at IS NULL),
granting AS (
    SELECT role.id, role.name
    FROM access.role JOIN access.role_action ON role_id = role.id WHERE action_id = :action_id),
giving AS (
    SELECT grp.id, grp.name, grp.attributes,
           (SELECT count(*) FROM access.membership WHERE group_id = grp.id) AS member_count
    FROM access.grp
    WHERE id IN (SELECT group_id FROM access.group_role JOIN granting ON granting.id = role_id))
SELECT jsonb_build_object(
    'version', version,
    'mappings', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'method', method, 'path_pattern', path_pattern, 'service', service)
            ORDER BY path_pattern COLLATE "C", method), '[]')
        FROM bound),
    'custom', (SELECT count(*) FROM bound WHERE operation_key IS NULL),
    'roles', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name) ORDER BY name COLLATE "C"), '[]')
        FROM granting),
    'groups', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'member_count', member_count, 'reach', attributes)
            ORDER BY name COLLATE "C"), '[]')
        FROM giving),
    'also_checked_by', (
        SELECT coalesce(jsonb_agg(operation_key ORDER BY operation_key), '[]')
        FROM access.endpoint_mapping
        WHERE retired_at IS NULL AND (SELECT code_key FROM access.action WHERE id = :action_id) = ANY(also)),
    'people_count', (
        SELECT count(*) FROM (
            SELECT person_id FROM access.person_role JOIN granting ON granting.id = role_id
            UNION
            SELECT person_id FROM access.membership JOIN giving ON giving.id = group_id) AS people))
FROM access.catalogue_version
""")
async def _read_uses(connection: Connection, action_id: int) -> Json[ActionUses]: ...


class Dependents(NamedTuple):
    """The number of platform operations and custom mappings that require an action, and of roles that grant it."""

    system: int
    custom: int
    roles: int


@statement("""
SELECT count(*) FILTER (WHERE operation_key IS NOT NULL) AS system,
       count(*) FILTER (WHERE operation_key IS NULL) AS custom,
       (SELECT count(*) FROM access.role_action WHERE action_id = :action_id) AS roles
FROM access.endpoint_mapping WHERE action_id = :action_id AND retired_at IS NULL
""")
async def count_dependents(connection: Connection, action_id: int) -> Dependents: ...


class DependentNames(NamedTuple):
    """For the audit event: the roles that granted a deleted action, and the mappings deleted with it."""

    roles: list[str]
    mappings: Json[list[dict[str, Any]]]


@statement("""
SELECT ARRAY(
           SELECT name FROM access.role JOIN access.role_action ON role_id = role.id
           WHERE action_id = :action_id ORDER BY name COLLATE "C") AS roles,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'method', method, 'path_pattern', path_pattern)
                                  ORDER BY path_pattern COLLATE "C", method), '[]')
        FROM access.endpoint_mapping WHERE action_id = :action_id AND retired_at IS NULL) AS mappings
""")
async def read_dependent_names(connection: Connection, action_id: int) -> DependentNames: ...


@statement("DELETE FROM access.action WHERE id = :action_id RETURNING code_key")
async def delete_action(connection: Connection, action_id: int) -> str | None:
    """Delete the action and its grants, and return its code key. Its mappings must be deleted first."""


# An administrative role grants every action except those for public, authenticated and machine callers, which no role
# grants.
_GRANTING = """
SELECT id, name FROM access.role
WHERE id IN (SELECT role_id FROM access.role_action WHERE action_id = :action_id)
   OR administrative AND EXISTS (
       SELECT FROM access.action
       WHERE action.id = :action_id AND (code_key IS NULL OR code_key NOT IN (
        'platform:public', 'platform:authenticated', 'platform:machine')))
"""


@statement(f"""SELECT name FROM ({_GRANTING}) AS granting ORDER BY name COLLATE "C" """)
async def list_granting_roles(connection: Connection, action_id: int) -> list[str]:
    """Return the names of the roles that grant the action, including administrative roles."""


_WAYS = f"""
SELECT person_id, granting.name AS role, 'direct' AS source, NULL AS "group", '{{}}'::jsonb AS attributes
FROM access.person_role JOIN ({_GRANTING}) AS granting ON granting.id = role_id
UNION ALL
SELECT person_id, granting.name, 'group', grp.name, grp.attributes
FROM access.membership
JOIN access.group_role USING (group_id)
JOIN ({_GRANTING}) AS granting ON granting.id = role_id
JOIN access.grp ON grp.id = group_id
"""


class FoundHolder(msgspec.Struct, frozen=True):
    """A person who has an action. In each way in `via`, `reach` contains the group's attributes."""

    subject: str
    display_name: str | None
    via: list[Way]


@statement(
    page_sql(
        f"""
        SELECT cpf AS subject, display_name, jsonb_agg(
            jsonb_build_object('role', role, 'source', source, 'group', "group", 'reach', attributes)
            ORDER BY role COLLATE "C", "group" COLLATE "C") AS via
        FROM access.person JOIN ({_WAYS}) AS ways ON person_id = person.id
        GROUP BY person.id ORDER BY person.id LIMIT :limit OFFSET :skip
        """,
        f"SELECT count(DISTINCT person_id) FROM ({_WAYS}) AS ways",
    )
)
async def select_holders(connection: Connection, action_id: int, limit: int, skip: int) -> Paged[FoundHolder]:
    """Return a page of the people who have the action, sorted by id, and the total number of these people."""
