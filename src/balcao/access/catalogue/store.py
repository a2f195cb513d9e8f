"""SQL for the catalogue as a whole: its version, its audit trail, the roles that give authority, and plans."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import asyncpg
import msgspec

from balcao.access.catalogue.chain import ChainHead, chain_events
from balcao.access.catalogue.events import PlannedStatement, Rows
from balcao.core.access.reach import HeldRole
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf


@statement("SELECT version FROM access.catalogue_version FOR UPDATE")
async def lock_catalogue(connection: Connection) -> int:
    """Lock the catalogue for changes until the transaction ends, and return its version."""


# The caller holds the catalogue's lock, so no other event can be appended between this statement and the insert.
@statement("""
SELECT access.raise_version() AS version, coalesce(last.seq, 0) AS seq, coalesce(last.hash, repeat('0', 64)) AS hash
FROM (VALUES (1)) AS one
LEFT JOIN (
    SELECT seq, hash FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1) AS last ON true
""")
async def _raise_version(connection: Connection) -> ChainHead:
    """Increment the version, and return it with the number and the hash of the chain's last event."""


@statement("""
INSERT INTO access.audit_event (seq, at, actor, operation, target_type, target_id, target_name, subject, before, after,
                                outcome, request_id, catalogue_version, prev_hash, hash)
SELECT seq, at, actor, operation, target_type, target_id, target_name, subject, before, after,
       outcome, request_id, catalogue_version, prev_hash, hash
FROM jsonb_populate_recordset(NULL::access.audit_event, :rows::jsonb)
""")
async def _append_events(connection: Connection, rows: str) -> None: ...


async def record_events(connection: Connection, events: Sequence[dict[str, Any]]) -> int:
    """Increment the version once, append the events to the chain, and return the new version.

    Raises Unavailable if the events cannot be written, because every change needs an event.
    """
    try:
        head = await _raise_version(connection)
        rows = await asyncio.to_thread(chain_events, head, events, utc_now())
        await _append_events(connection, rows.decode())
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
    return head.version


@statement("SELECT access.record_each(:events::jsonb)")
async def _record_each(connection: Connection, events: Sequence[dict[str, Any]]) -> tuple[list[int]]: ...


async def record_each_event(connection: Connection, events: Sequence[dict[str, Any]]) -> list[int]:
    """Append the events to the chain, each with its own version, and return the versions.

    Raises Unavailable if the events cannot be written.
    """
    try:
        (versions,) = await _record_each(connection, events)
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure
    return versions


@statement("SELECT count(*) FROM access.audit_event")
async def count_catalogue_events(connection: Connection) -> int: ...


# Delete only the start of the chain, so that every remaining event except the first can be checked against its
# predecessor. Never delete the last event, because the next change is chained to it.
@statement("""
DELETE FROM access.audit_event
WHERE (seq IS NULL AND at <= now() - :beside_chain::interval)
   OR seq <= (SELECT max(seq) FROM access.audit_event
              WHERE at <= now() - :chained::interval AND seq < (SELECT max(seq) FROM access.audit_event))
""")
async def delete_old_catalogue_events(connection: Connection, beside_chain: timedelta, chained: timedelta) -> int:
    """Delete chained events older than `chained` and other events older than `beside_chain`.

    Return the number of deleted events.
    """


@statement("SELECT seq, hash FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1")
async def read_chain_head(connection: Connection) -> tuple[int, str] | None:
    """Return the number and the hash of the last event in the chain, or None if the chain is empty."""


@statement("SELECT count(*) FROM access.change")
async def count_noted_changes(connection: Connection) -> int: ...


class _DeletedChanges(NamedTuple):
    number: int
    last: int | None


@statement("""
WITH gone AS (DELETE FROM access.change WHERE at <= now() - :age::interval RETURNING id)
SELECT count(*) AS number, max(id) AS last FROM gone
""")
async def _delete_noted_changes(connection: Connection, age: timedelta) -> _DeletedChanges: ...


@statement("UPDATE access.catalogue_version SET forgotten = greatest(forgotten, :last)")
async def _forget_up_to(connection: Connection, last: int | None) -> None: ...


async def delete_noted_changes(connection: Connection, age: timedelta) -> int:
    """Delete the entries of `access.change` that are older than `age`, and return their number.

    Consistency: both statements run in the caller's transaction. A reader either finds all entries, or sees that older
    entries are gone.

    Locks: no other process waits for the deleted rows. The second statement locks the catalogue until the transaction
    ends.
    """
    gone = await _delete_noted_changes(connection, age)
    if gone.number:
        await _forget_up_to(connection, gone.last)
    return gone.number


@statement("""
INSERT INTO access.audit_event (actor, operation, target_type, target_id, target_name, subject, outcome,
                                request_id, catalogue_version)
SELECT event.actor, event.operation, event.target_type, event.target_id, event.target_name, event.subject, :outcome,
       event.request_id, catalogue_version.version
FROM jsonb_populate_record(NULL::access.audit_event, :event::jsonb) AS event, access.catalogue_version
""")
async def _record_beside_chain(connection: Connection, event: dict[str, Any], outcome: str) -> None: ...


async def record_beside_chain(connection: Connection, event: dict[str, Any], outcome: str) -> None:
    """Record a refused attempt or a read outside the chain. Raises Unavailable if the record cannot be written."""
    try:
        await _record_beside_chain(connection, event, outcome)
    except asyncpg.PostgresError as failure:
        raise Unavailable(code="audit-unwritable") from failure


class HeldRoles(msgspec.Struct, frozen=True):
    """A person's roles and the names of their groups.

    A role that the person has in several ways has one entry for each way.
    """

    held_roles: list[HeldRole]
    groups: list[str]


# `joined` contains the person's groups and `given_group`. `way` contains the roles of the token, the direct roles, the
# roles of the groups, and `given_roles`. With `given_group` and `given_roles`, a check can evaluate an assignment
# before it is written.
@statement("""
WITH joined AS (
    SELECT group_id FROM access.membership JOIN access.person ON person.id = person_id WHERE cpf = :cpf
    UNION
    SELECT :given_group WHERE :given_group::bigint IS NOT NULL),
way AS (
    SELECT id AS role_id, NULL::bigint AS group_id
    FROM access.role WHERE name = ANY(:roles::text[]) OR id = ANY(:given_roles::bigint[])
    UNION ALL
    SELECT role_id, NULL FROM access.person_role JOIN access.person ON person.id = person_id WHERE cpf = :cpf
    UNION ALL
    SELECT role_id, group_id FROM access.group_role JOIN joined USING (group_id))
SELECT jsonb_build_object(
    'held_roles', (
        SELECT coalesce(jsonb_agg(jsonb_build_array(
            jsonb_build_object(
                'id', role.id, 'name', role.name, 'administrative', administrative,
                'actions', ARRAY(
                    SELECT coalesce(code_key, '#' || action.id)
                    FROM access.role_action JOIN access.action ON action.id = action_id
                    WHERE role_id = role.id)),
            coalesce(attributes, '{}'))), '[]')
        FROM way JOIN access.role ON role.id = role_id LEFT JOIN access.grp ON grp.id = group_id),
    'groups', ARRAY(SELECT name FROM access.grp JOIN joined ON grp.id = group_id))
""")
async def read_held_roles(
    connection: Connection,
    cpf: Cpf | None,
    roles: Collection[str] = (),
    *,
    given_roles: Sequence[int] = (),
    given_group: int | None = None,
) -> Json[HeldRoles]:
    """Return the person's roles and groups.

    The result contains the stored roles and groups, the token's `roles`, and `given_roles` and `given_group` as if they
    were already assigned.
    """


@statement("SELECT id FROM access.role WHERE name = :name")
async def select_role_id(connection: Connection, name: str) -> int | None: ...


@statement("SELECT EXISTS (SELECT FROM access.role WHERE id = ANY(:roles::bigint[]) AND administrative)")
async def is_any_administrative(connection: Connection, roles: Sequence[int]) -> bool: ...


@statement("""
SELECT count(*) FROM (
    SELECT person_id FROM access.person_role JOIN access.role ON role.id = role_id WHERE administrative
    UNION
    SELECT person_id
    FROM access.membership
    JOIN access.group_role USING (group_id)
    JOIN access.role ON role.id = role_id
    WHERE administrative) AS administrators
""")
async def count_administrators(connection: Connection) -> int:
    """Return the number of people who have a stored administrative role."""


# The start of every statement that writes a plan's rows. `item` contains the rows, whatever their kind, and `author` is
# the author of new rows. The ids of new rows were reserved before the catalogue was locked (rules: access 4.7).
ITEM_SQL = """
WITH item AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(:rows::jsonb) AS item(
        id bigint, name text, description text, attributes jsonb, method text, path_pattern text, role_id bigint,
        action_id bigint, group_id bigint)),
author AS (SELECT :author::text AS name)
"""


async def write_planned_rows(
    connection: Connection, statements: Sequence[PlannedStatement], rows: Rows, author: str | None
) -> None:
    """Run the statements one after the other, each with all rows as JSON."""
    document = json_text(rows)
    for write in statements:
        await write(connection, document, author)


OFFERED = (
    lock_catalogue,
    record_events,
    write_planned_rows,
)
