"""SQL of the CRM's events."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import encode_payload, enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.crm.events.event_parser import Event

EVENT_JOB = "crm_event"

# Many events at once, each with its job and its audit event. The same event again (same person, kind, `updatedAt` and
# bytes) makes no second row, and no job and audit event either (spec: webhook rule 6). Rows are inserted in the order
# of the unique key: of two such statements that hold the same events, one waits for the other, and never both.
_ACCEPT = f"""
WITH offered AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::jsonb[], $6::bytea[], $7::text[],
                         $8::text[], $9::bytea[], $10::jsonb[])
        AS offered (id, cpf, evento, event_at, dados, dados_sha256, azp, request_id, payload, trail)
), stored AS (
    INSERT INTO registry.crm_event (id, cpf, evento, event_at, dados, dados_sha256, has_updated_at, azp, request_id)
    SELECT id, cpf, evento, coalesce(event_at, now()), dados, dados_sha256, event_at IS NOT NULL, azp, request_id
    FROM offered ORDER BY cpf, evento, event_at, dados_sha256
    ON CONFLICT (cpf, evento, event_at, dados_sha256) WHERE has_updated_at DO NOTHING
    RETURNING id
), {enqueue_sql("$11", "payload", "interval '0'", "stored JOIN offered USING (id)")}
, recorded AS ({record_sql("trail", "stored JOIN offered USING (id)")})
SELECT id::text FROM stored
"""


class AcceptedEvent(msgspec.Struct, frozen=True):
    """An event with what is to be written beside it."""

    event: Event
    client: str
    request_id: str
    trail: str
    id: str = msgspec.field(default_factory=new_id)


async def accept(connection: Connection, rows: Sequence[AcceptedEvent]) -> list[bool]:
    """Store events, each with its job and audit event; return for each whether it is new."""
    values = [
        (
            row.id,
            row.event.cpf.digits,
            row.event.evento,
            row.event.at,
            None if row.event.dados is None else json_text(row.event.dados),
            row.event.dados_sha256,
            row.client,
            row.request_id,
            encode_payload({"event": row.id}),
            row.trail,
        )
        for row in rows
    ]
    stored = await connection.fetch(_ACCEPT, *map(list, zip(*values, strict=True)), EVENT_JOB)
    new = {row["id"] for row in stored}
    return [row.id in new for row in rows]


_WAITING = "SELECT count(*) FROM (SELECT FROM registry.crm_event WHERE applied_at IS NULL LIMIT $1) AS waiting"


async def count_waiting(connection: Connection, at_most: int) -> int:
    """Return how many events wait; the count ends at `at_most`."""
    return await fetch_count(connection, _WAITING, at_most)


class Waiting(msgspec.Struct, frozen=True):
    """An event to apply; `dados` is None for an erasure, or when a later one has erased it."""

    cpf: Cpf
    evento: str
    at: datetime
    dados: dict[str, Any] | None
    request_id: str


_TAKE = """
SELECT cpf, evento, event_at, dados::text, request_id
FROM registry.crm_event WHERE id = $1 AND applied_at IS NULL
FOR UPDATE
"""


async def take(connection: Connection, event_id: str) -> Waiting | None:
    """Lock an event that has not been applied; None when it has."""
    row = await connection.fetchrow(_TAKE, event_id)
    if row is None:
        return None
    dados = None if row["dados"] is None else msgspec.json.decode(row["dados"], type=dict[str, Any])
    return Waiting(Cpf(row["cpf"]), row["evento"], row["event_at"], dados, row["request_id"])


_FINISH = "UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = $2 WHERE id = $1"


async def finish(connection: Connection, event_id: str, result: str) -> None:
    """Write the result and erase the payload: the mirror has it now."""
    await connection.execute(_FINISH, event_id, result)


# An erasure also reaches what still waits. A row that is locked is being applied: it waits for the mirror, then meets
# the tombstone and is erased by its own transaction; to wait for it here would be a deadlock.
_ERASE_COVERED = """
UPDATE registry.crm_event SET dados = NULL
WHERE id IN (
    SELECT id FROM registry.crm_event
    WHERE cpf = $1 AND applied_at IS NULL AND event_at <= $2 AND dados IS NOT NULL
    FOR UPDATE SKIP LOCKED)
RETURNING true
"""


async def erase_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase the payloads of events that an erasure at that time covers; return how many."""
    return len(await connection.fetch(_ERASE_COVERED, cpf.digits, at))


_SUBJECTS = """
SELECT id::text, cpf, request_id,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dados) AS key), '{}') AS fields
FROM registry.crm_event WHERE id = ANY ($1::text[]::uuid[])
"""


async def find_subjects(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return whom events concern, by the event's id."""
    rows = await connection.fetch(_SUBJECTS, list(ids))
    return {row["id"]: Subject(Cpf(row["cpf"]), row["request_id"], row["fields"]) for row in rows}


_WAITING_IDS = "SELECT id::text FROM registry.crm_event WHERE cpf = $1 AND applied_at IS NULL"


async def list_waiting_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's events that are not applied."""
    return [row["id"] for row in await connection.fetch(_WAITING_IDS, cpf.digits)]


_GIVE_UP_EVENT = """
UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = 'no_effect'
WHERE id = $1::text::uuid AND applied_at IS NULL
"""


async def give_up_event(connection: Connection, event_id: str) -> None:
    """End an event that nobody is to apply any more: it has no effect, and its payload is erased."""
    await connection.execute(_GIVE_UP_EVENT, event_id)


# An event is dead when nobody will apply it any more: its job failed for the last time or was dropped.
_DEAD = """
event.applied_at IS NULL AND NOT EXISTS (
    SELECT FROM queue.pgqueuer AS job
    WHERE job.entrypoint = 'crm_event' AND job.status IN ('queued', 'picked')
      AND convert_from(job.payload, 'UTF8')::jsonb ->> 'event' = event.id::text)
"""
_COUNT_PAYLOADS = "SELECT count(*) FROM registry.crm_event WHERE dados IS NOT NULL"
_ERASE_OLD_PAYLOADS = f"""
UPDATE registry.crm_event AS event SET dados = NULL
WHERE dados IS NOT NULL AND accepted_at <= now() - $1::interval AND {_DEAD}
RETURNING true
"""
_COUNT_ALL = "SELECT count(*) FROM registry.crm_event"
_DELETE_OLD = f"""
DELETE FROM registry.crm_event AS event
WHERE accepted_at <= now() - $1::interval AND (applied_at IS NOT NULL OR ({_DEAD}))
RETURNING true
"""


async def count_payloads(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_PAYLOADS)


async def erase_old_payloads(connection: Connection, age: timedelta) -> int:
    """Erase old payloads of events that nobody will apply any more; return how many."""
    return len(await connection.fetch(_ERASE_OLD_PAYLOADS, age))


async def count_all(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ALL)


async def delete_old(connection: Connection, age: timedelta) -> int:
    """Delete events that are applied or dead; return how many. By the owner of the table only."""
    return len(await connection.fetch(_DELETE_OLD, age))
