"""SQL for the catalogue as code: the content of documents, and the stored plans."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class StoredAction(msgspec.Struct, frozen=True):
    """An action. `code_key` is its permanent name in code, or None for an action of the city."""

    id: int
    name: str
    description: str
    code_key: str | None


class StoredRole(msgspec.Struct, frozen=True):
    """A role. `people` is the number of people who have the role directly."""

    id: int
    name: str
    description: str
    administrative: bool
    actions: list[str]
    people: int


class StoredGroup(msgspec.Struct, frozen=True):
    id: int
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
    """An operation of the platform. `declared` is the current name of the action with the code key `declared_key`."""

    id: int
    operation: str
    method: str
    path: str
    action: str
    description: str | None
    floor: str
    declared_key: str | None
    declared: str | None


class StoredCatalogue(msgspec.Struct, frozen=True):
    """One version of the whole catalogue. `deleted_keys` are the code keys of actions that were deleted here."""

    version: int
    actions: list[StoredAction]
    roles: list[StoredRole]
    groups: list[StoredGroup]
    mappings: list[StoredMapping]
    bindings: list[StoredBinding]
    deleted_keys: list[str]


async def read_stored_catalogue(connection: Connection) -> StoredCatalogue:
    """Return the whole catalogue, including the ids that changes need."""
    found = await _read_catalogue(connection)  # a large city's catalogue has several megabytes
    return await asyncio.to_thread(msgspec.json.decode, found, type=StoredCatalogue)


@statement("""
SELECT jsonb_build_object(
    'version', version,
    'actions', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'description', description, 'code_key', code_key) ORDER BY name COLLATE "C"), '[]')
        FROM access.action),
    'roles', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'description', description, 'administrative', administrative,
            'people', (SELECT count(*) FROM access.person_role WHERE role_id = role.id),
            'actions', ARRAY(
                SELECT action.name FROM access.role_action JOIN access.action ON action.id = action_id
                WHERE role_id = role.id ORDER BY action.name COLLATE "C")) ORDER BY name COLLATE "C"), '[]')
        FROM access.role),
    'groups', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', id, 'name', name, 'description', description, 'attributes', attributes,
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
            'id', mapping.id, 'operation', operation_key, 'method', method, 'path', path_pattern,
            'action', action.name, 'description', mapping.description, 'floor', floor, 'declared_key', declared_action,
            'declared', (SELECT name FROM access.action WHERE code_key = declared_action))
            ORDER BY operation_key COLLATE "C"), '[]')
        FROM access.endpoint_mapping AS mapping JOIN access.action ON action.id = action_id
        WHERE operation_key IS NOT NULL AND retired_at IS NULL),
    'deleted_keys', ARRAY(
        SELECT name FROM access.shipped_once
        WHERE kind = 'action' AND NOT EXISTS (SELECT FROM access.action WHERE code_key = shipped_once.name)))
FROM access.catalogue_version
""")
async def _read_catalogue(connection: Connection) -> str:
    """Return a `StoredCatalogue` as JSON."""


@statement("""
SELECT coalesce((
           SELECT json_object_agg(group_id, people) FROM (
               SELECT group_id, json_agg(cpf ORDER BY joined_at, person_id) AS people
               FROM access.membership JOIN access.person ON person.id = person_id
               WHERE group_id = ANY(:groups::bigint[]) GROUP BY group_id) AS by_group), '{}') AS members,
       coalesce((
           SELECT json_object_agg(role_id, people) FROM (
               SELECT role_id, json_agg(cpf ORDER BY person_id) AS people
               FROM access.person_role JOIN access.person ON person.id = person_id
               WHERE role_id = ANY(:roles::bigint[]) GROUP BY role_id) AS by_role), '{}') AS people
""")
async def list_members_and_holders(
    connection: Connection, groups: Sequence[int], roles: Sequence[int]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the CPFs of the groups' members and of the roles' direct holders, by group id and role id as strings."""


# The sequences that supply the ids of new rows.
_SEQUENCES = {
    "action": "access.action_id_seq",
    "role": "access.role_id_seq",
    "group": "access.grp_id_seq",
    "mapping": "access.endpoint_mapping_id_seq",
}


async def reserve_ids(connection: Connection, kind: str, number: int) -> list[int]:
    """Reserve `number` ids for new rows of this kind."""
    return await _draw_ids(connection, _SEQUENCES[kind], number)


@statement("SELECT nextval(:sequence::regclass) FROM generate_series(1, :number)")
async def _draw_ids(connection: Connection, sequence: str, number: int) -> list[int]: ...


class StoredPlan(msgspec.Struct, frozen=True):
    """A stored plan: the document as JSON, the catalogue version on which it is based, and its option `prune`."""

    base_version: int
    document: str
    prune: bool


@statement("""
INSERT INTO access.plan (id, base_version, document, prune) VALUES (:plan_id, :base_version, :document::jsonb, :prune)
""")
async def save_plan(connection: Connection, plan_id: UUID, plan: StoredPlan) -> None: ...


@statement("""
SELECT base_version, document::text, prune FROM access.plan
WHERE id = :plan_id AND created_at > now() - :age::interval
""")
async def find_plan(connection: Connection, plan_id: UUID, age: timedelta) -> StoredPlan | None:
    """Return the plan, or None if it is unknown or older than `age`."""


@statement("SELECT count(*) FROM access.plan")
async def count_plans(connection: Connection) -> int: ...


@statement("DELETE FROM access.plan WHERE created_at <= now() - :age::interval")
async def delete_old_plans(connection: Connection, age: timedelta) -> int: ...
