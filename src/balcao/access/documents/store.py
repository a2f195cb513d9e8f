"""SQL of the catalogue as code: what a document shows, and the plans that wait to be applied."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count


class StoredAction(msgspec.Struct, frozen=True):
    """`code_key` is the name that it has in code."""

    id: int
    name: str
    description: str
    code_key: str | None


class StoredRole(msgspec.Struct, frozen=True):
    name: str
    description: str
    actions: list[str]


class StoredGroup(msgspec.Struct, frozen=True):
    name: str
    description: str
    roles: list[str]
    attributes: dict[str, list[str]]
    member_count: int


class StoredMapping(msgspec.Struct, frozen=True):
    id: int
    method: str
    path: str
    shape: str
    action: str
    description: str | None


class StoredBinding(msgspec.Struct, frozen=True):
    """An operation of ours; `declared` is the present name of the action that code names."""

    id: int
    operation: str
    action: str
    declared: str | None


class StoredCatalogue(msgspec.Struct, frozen=True):
    """One whole version."""

    version: int
    actions: list[StoredAction]
    roles: list[StoredRole]
    groups: list[StoredGroup]
    mappings: list[StoredMapping]
    bindings: list[StoredBinding]


_READ = """
SELECT jsonb_build_object(
    'version', version,
    'actions', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'description', description, 'code_key', code_key) ORDER BY name COLLATE "C"), '[]')
        FROM access.action),
    'roles', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'description', description, 'actions', ARRAY(
            SELECT action.name FROM access.role_action JOIN access.action ON action.id = action_id
            WHERE role_id = role.id ORDER BY action.name COLLATE "C")) ORDER BY name COLLATE "C"), '[]')
        FROM access.role),
    'groups', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'name', name, 'description', description, 'attributes', attributes,
            'member_count', (SELECT count(*) FROM access.membership WHERE group_id = grp.id),
            'roles', ARRAY(
                SELECT role.name FROM access.group_role JOIN access.role ON role.id = role_id
                WHERE group_id = grp.id ORDER BY role.name COLLATE "C")) ORDER BY name COLLATE "C"), '[]')
        FROM access.grp),
    'mappings', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', mapping.id, 'method', method, 'path', path_pattern, 'shape', shape, 'action', action.name,
            'description', mapping.description) ORDER BY path_pattern COLLATE "C", method COLLATE "C"), '[]')
        FROM access.endpoint_mapping AS mapping JOIN access.action ON action.id = action_id
        WHERE operation_key IS NULL AND retired_at IS NULL),
    'bindings', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', mapping.id, 'operation', operation_key, 'action', action.name,
            'declared', (SELECT name FROM access.action WHERE code_key = declared_action))
            ORDER BY operation_key COLLATE "C"), '[]')
        FROM access.endpoint_mapping AS mapping JOIN access.action ON action.id = action_id
        WHERE operation_key IS NOT NULL AND retired_at IS NULL))
FROM access.catalogue_version
"""


async def read(connection: Connection) -> StoredCatalogue:
    """Return what a document shows, and the ids by which it is changed."""
    return msgspec.json.decode(await connection.fetchval(_READ), type=StoredCatalogue)


_ACTION_ID = "SELECT id FROM access.action WHERE name = $1"


async def find_action_id(connection: Connection, name: str) -> int | None:
    """Return the id of the action that bears this name within the transaction, or None."""
    found: int | None = await connection.fetchval(_ACTION_ID, name)
    return found


_MAPPING_ID = """
SELECT id FROM access.endpoint_mapping
WHERE operation_key IS NULL AND retired_at IS NULL AND method = $1 AND shape = $2
"""


async def find_mapping_id(connection: Connection, method: str, shape: str) -> int | None:
    """Return the id of the city's own mapping of this method and shape, or None."""
    found: int | None = await connection.fetchval(_MAPPING_ID, method, shape)
    return found


_OPERATION_ID = "SELECT id FROM access.endpoint_mapping WHERE operation_key = $1 AND retired_at IS NULL"


async def find_operation_id(connection: Connection, operation: str) -> int | None:
    """Return the id of an operation's mapping, or None."""
    found: int | None = await connection.fetchval(_OPERATION_ID, operation)
    return found


class StoredPlan(msgspec.Struct, frozen=True):
    """The document that was planned, as JSON."""

    base_version: int
    document: str
    prune: bool


_SAVE = "INSERT INTO access.plan (id, base_version, document, prune) VALUES ($1, $2, $3::jsonb, $4)"


async def save_plan(connection: Connection, plan_id: UUID, plan: StoredPlan) -> None:
    await connection.execute(_SAVE, plan_id, plan.base_version, plan.document, plan.prune)


_FIND = """
SELECT base_version, document::text, prune FROM access.plan WHERE id = $1 AND created_at > now() - $2::interval
"""


async def find_plan(connection: Connection, plan_id: UUID, age: timedelta) -> StoredPlan | None:
    """Return a plan that is not older than this."""
    row = await connection.fetchrow(_FIND, plan_id, age)
    return StoredPlan(**row) if row else None


_COUNT = "SELECT count(*) FROM access.plan"
_DELETE_OLD = "DELETE FROM access.plan WHERE created_at <= now() - $1::interval RETURNING true"


async def delete_old_plans(connection: Connection, age: timedelta) -> tuple[int, int]:
    """Delete the plans older than this; return how many there were and how many went."""
    checked = await fetch_count(connection, _COUNT)
    gone: Sequence[Any] = await connection.fetch(_DELETE_OLD, age)
    return checked, len(gone)
