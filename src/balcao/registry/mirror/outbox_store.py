"""SQL of the outbox. Every statement that changes a row runs while the citizen's mirror is locked."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.queue import Try
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.login_write_store import digest_sql
from balcao.registry.mirror.records import OutboxRow
from balcao.registry.mirror.writes import Value

_COLUMNS = "id::text, dirty::text, version, job, given_up, request_id"

# Locked, because an operator who drops a dead-lettered job does not lock the mirror.
_OF = f"SELECT {_COLUMNS} FROM registry.outbox WHERE cpf = $1 FOR UPDATE"


async def read(connection: Connection, cpf: Cpf) -> OutboxRow | None:
    return _row(await connection.fetchrow(_OF, cpf.digits))


_OWNER = "SELECT cpf FROM registry.outbox WHERE id = $1::uuid"


async def find_owner(connection: Connection, outbox_id: str) -> Cpf | None:
    digits = await connection.fetchval(_OWNER, outbox_id)
    return Cpf(digits) if digits else None


_HAND_OVER = """
UPDATE registry.outbox
SET id = $2::uuid, job = $3, given_up = false, first_change_at = clock_timestamp(), attempts_log = '[]'
WHERE cpf = $1
"""


async def hand_over(connection: Connection, cpf: Cpf, outbox_id: str, job: int) -> None:
    """Give the row to another job; the one before does not find it any more."""
    await connection.execute(_HAND_OVER, cpf.digits, outbox_id, job)


_TAKE = f"UPDATE registry.outbox SET given_up = false WHERE id = $1::uuid RETURNING {_COLUMNS}"


async def take(connection: Connection, outbox_id: str) -> OutboxRow | None:
    return _row(await connection.fetchrow(_TAKE, outbox_id))


_SENT = f"""
UPDATE registry.outbox SET dirty = coalesce((
    SELECT jsonb_object_agg(field.key, field.value) FROM jsonb_each(dirty) AS field
    WHERE NOT $2::jsonb @> jsonb_build_object(field.key, field.value)), '{{}}')
WHERE id = $1::uuid
RETURNING {_COLUMNS}
"""


async def mark_sent(connection: Connection, outbox_id: str, versions: Mapping[str, int]) -> OutboxRow | None:
    """Clear what has not changed since these versions; return what is left of the row."""
    return _row(await connection.fetchrow(_SENT, outbox_id, json_text(versions)))


# The log keeps the last ten tries.
_FAILED = f"""
UPDATE registry.outbox SET
    given_up = $2,
    attempts_log = CASE WHEN jsonb_array_length(attempts_log) < 10 THEN attempts_log ELSE attempts_log - 0 END
        || jsonb_build_array($3::jsonb || jsonb_build_object(
            'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
WHERE id = $1::uuid
RETURNING {_COLUMNS}
"""


async def record_failure(
    connection: Connection, outbox_id: str, attempt: Mapping[str, Any], *, given_up: bool
) -> OutboxRow | None:
    """Append an attempt: status, code, names of fields and duration, never a value."""
    return _row(await connection.fetchrow(_FAILED, outbox_id, given_up, json_text(attempt)))


# A field stays dirty for as long as its value is the citizen's own word.
_KEEP_OWN = f"""
UPDATE registry.outbox AS waiting SET dirty = coalesce((
    SELECT jsonb_object_agg(field.key, field.value)
    FROM jsonb_each(waiting.dirty) AS field
    JOIN registry.register ON register.cpf = $1 AND register.field = field.key AND register.origin <> 'crm'), '{{}}')
WHERE waiting.cpf = $1
RETURNING {_COLUMNS}
"""


async def drop_overridden(connection: Connection, cpf: Cpf) -> OutboxRow | None:
    return _row(await connection.fetchrow(_KEEP_OWN, cpf.digits))


_MARKED = f"""
SELECT register.field,
    coalesce(registry.compared(register.field, register.pushed_value)
        = registry.compared(register.field, offered.value), false)
    OR coalesce(register.field = 'email' AND login.email_sha256 = {digest_sql("offered.value")}, false) AS echo
FROM registry.outbox AS waiting
JOIN registry.register USING (cpf)
JOIN jsonb_each($2::jsonb) AS offered ON offered.key = register.field
LEFT JOIN registry.login_write AS login USING (cpf)
WHERE waiting.cpf = $1 AND waiting.dirty ? register.field
"""


async def find_marked(connection: Connection, cpf: Cpf, offered: Mapping[str, Value]) -> dict[str, bool]:
    """Return which of these fields are dirty, and whether the value is one that we wrote there ourselves."""
    rows = await connection.fetch(_MARKED, cpf.digits, json_text(offered))
    return {row["field"]: row["echo"] for row in rows}


_REMOVE = "DELETE FROM registry.outbox WHERE id = $1::uuid"


async def remove(connection: Connection, outbox_id: str) -> None:
    await connection.execute(_REMOVE, outbox_id)


def _row(found: Any) -> OutboxRow | None:
    if found is None:
        return None
    dirty = msgspec.json.decode(found["dirty"], type=dict[str, int])
    return OutboxRow(found["id"], dirty, found["version"], found["job"], found["given_up"], found["request_id"])


_PUSHES = """
SELECT id::text, cpf, request_id, attempts_log::text AS log,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dirty) AS key), '{}') AS fields
FROM registry.outbox WHERE id = ANY ($1::text[]::uuid[])
"""


async def find_pushes(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    rows = await connection.fetch(_PUSHES, list(ids))
    return {
        row["id"]: Subject(
            Cpf(row["cpf"]), row["request_id"], row["fields"], msgspec.json.decode(row["log"], type=list[Try])[::-1]
        )
        for row in rows
    }


_PUSHES_OF = "SELECT id::text FROM registry.outbox WHERE cpf = $1"


async def list_pushes(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_PUSHES_OF, cpf.digits)]


_GIVE_UP_PUSH = "DELETE FROM registry.outbox WHERE id = $1::text::uuid"


async def give_up_push(connection: Connection, outbox_id: str) -> None:
    """Delete the row: the CRM differs until the citizen's next change (rules: registry 4.5)."""
    await connection.execute(_GIVE_UP_PUSH, outbox_id)


_DIRTY_FIELDS = """
SELECT array_agg(field ORDER BY field) FROM registry.outbox, jsonb_object_keys(dirty) AS field WHERE cpf = $1
"""


async def list_dirty_fields(connection: Connection, cpf: Cpf) -> list[str]:
    return await connection.fetchval(_DIRTY_FIELDS, cpf.digits) or []
