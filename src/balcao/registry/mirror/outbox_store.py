"""SQL for the outbox. The caller must lock the citizen's mirror before it changes a row.

There is one exception: dropping a dead-lettered job deletes the row without that lock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.queue import dead_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.fields import PUSH_JOB
from balcao.registry.mirror.login_write_store import digest_sql
from balcao.registry.mirror.records import OutboxRow
from balcao.registry.mirror.writes import Value

_COLUMNS = "id::text, dirty::text, version, job, given_up, request_id"


# FOR UPDATE, because dropping a dead-lettered job deletes the row without locking the mirror.
@statement(f"SELECT {_COLUMNS} FROM registry.outbox WHERE cpf = :cpf FOR UPDATE")
async def lock_outbox_row(connection: Connection, cpf: Cpf) -> OutboxRow | None: ...


@statement("SELECT cpf FROM registry.outbox WHERE id = :outbox_id::uuid")
async def find_outbox_owner(connection: Connection, outbox_id: str) -> Cpf | None:
    """Return the row's citizen, or None if another job has taken over the row or the row was deleted."""


@statement("""
UPDATE registry.outbox
SET id = :outbox_id::uuid, job = :job, given_up = false, first_change_at = clock_timestamp(), attempts_log = '[]'
WHERE cpf = :cpf
""")
async def hand_over_outbox_row(connection: Connection, cpf: Cpf, outbox_id: str, job: int) -> None:
    """Assign the row to a new job. The previous job no longer finds it."""


@statement(f"UPDATE registry.outbox SET given_up = false WHERE id = :outbox_id::uuid RETURNING {_COLUMNS}")
async def take_outbox_row(connection: Connection, outbox_id: str) -> OutboxRow | None:
    """Return the row for a job that is about to push it, and clear `given_up`."""


@statement(f"""
UPDATE registry.outbox SET dirty = coalesce((
    SELECT jsonb_object_agg(field.key, field.value) FROM jsonb_each(dirty) AS field
    WHERE NOT :versions::jsonb @> jsonb_build_object(field.key, field.value)), '{{}}')
WHERE id = :outbox_id::uuid
RETURNING {_COLUMNS}
""")
async def mark_fields_sent(connection: Connection, outbox_id: str, versions: Mapping[str, int]) -> OutboxRow | None:
    """Remove the fields that have not changed since they were sent. Return the row with the remaining fields."""


# The log retains the last ten attempts: `attempts_log - 0` removes the oldest.
@statement(f"""
UPDATE registry.outbox SET
    given_up = :given_up,
    attempts_log = CASE WHEN jsonb_array_length(attempts_log) < 10 THEN attempts_log ELSE attempts_log - 0 END
        || jsonb_build_array(:attempt::jsonb || jsonb_build_object(
            'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
WHERE id = :outbox_id::uuid
RETURNING {_COLUMNS}
""")
async def record_push_failure(
    connection: Connection, outbox_id: str, attempt: Mapping[str, Any], *, given_up: bool
) -> OutboxRow | None:
    """Append an attempt to the row's log: status, code, field names and duration, but never a value."""


# The JOIN retains only fields whose value the citizen or staff declared (`origin <> 'crm'`).
@statement(f"""
UPDATE registry.outbox AS waiting SET dirty = coalesce((
    SELECT jsonb_object_agg(field.key, field.value)
    FROM jsonb_each(waiting.dirty) AS field
    JOIN registry.register ON register.cpf = :cpf AND register.field = field.key AND register.origin <> 'crm'), '{{}}')
WHERE waiting.cpf = :cpf
RETURNING {_COLUMNS}
""")
async def drop_overridden_fields(connection: Connection, cpf: Cpf) -> OutboxRow | None: ...


@statement(f"""
SELECT register.field,
    EXISTS (
        SELECT FROM unnest(array_prepend(register.pushed_value, register.pushed_before)) AS sent
        WHERE registry.compared(register.field, sent) = registry.compared(register.field, offered.value))
    OR coalesce(register.field = 'email' AND {digest_sql("offered.value")}
        = ANY (array_prepend(login.email_sha256, login.earlier_sha256)), false) AS echo
FROM registry.outbox AS waiting
JOIN registry.register USING (cpf)
JOIN jsonb_each(:offered::jsonb) AS offered ON offered.key = register.field
LEFT JOIN registry.login_write AS login USING (cpf)
WHERE waiting.cpf = :cpf AND waiting.dirty ? register.field
""")
async def find_marked_fields(connection: Connection, cpf: Cpf, offered: Mapping[str, Value]) -> Mapping[str, bool]:
    """Return, for each dirty field in `offered`, whether the offered value is an echo.

    An echo is a value that a push or a login has sent: the last value that the CRM confirmed, or any value sent after
    it.
    """


@statement("DELETE FROM registry.outbox WHERE id = :outbox_id::uuid")
async def delete_outbox_row(connection: Connection, outbox_id: str) -> None:
    """Delete the row of a finished or dropped job.

    After a job is dropped, the CRM differs from the registry until the citizen's next change (rules: registry 4.5).
    """


async def find_pushes(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the subject of each push by its row id, with the attempts, newest first."""
    found = await _find_pushes(connection, ids)
    return {id_: replace(subject, tries=(subject.tries or ())[::-1]) for id_, subject in found.items()}


@statement("""
SELECT id::text, cpf, request_id, attempts_log::text AS tries,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dirty) AS key), '{}') AS fields
FROM registry.outbox WHERE id = ANY (:ids::text[]::uuid[])
""")
async def _find_pushes(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]: ...


@statement("SELECT id::text FROM registry.outbox WHERE cpf = :cpf")
async def list_push_ids(connection: Connection, cpf: Cpf) -> list[str]: ...


@statement("SELECT field FROM registry.outbox, jsonb_object_keys(dirty) AS field WHERE cpf = :cpf ORDER BY field")
async def list_dirty_fields(connection: Connection, cpf: Cpf) -> list[str]: ...


# The age of the oldest waiting change in seconds. Dead-lettered jobs do not count, because they wait for an operator.
OLDEST_PUSH_SQL = f"""
SELECT extract(epoch FROM clock_timestamp() - min(first_change_at))::float8 FROM registry.outbox
WHERE job NOT IN (SELECT id FROM ({dead_sql(PUSH_JOB)}) AS dead)
"""


OFFERED = (
    find_outbox_owner,
    take_outbox_row,
)
