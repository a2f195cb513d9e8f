"""SQL for CRM events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.queue import dead_sql, pending_sql
from balcao.core.jobs.worker import encode_payload, enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.registry.crm.events.event_parser import Event
from balcao.registry.crm.events.schemas import CrmEvent

EVENT_JOB = "crm_event"


class AcceptedEvent(msgspec.Struct, frozen=True):
    """An accepted event, as it is to be stored."""

    event: Event
    client: str
    request_id: str
    trail: str
    id: str = msgspec.field(default_factory=new_id)

    @property
    def payload(self) -> bytes:
        """The payload of the job that applies the event."""
        return encode_payload({"event": self.id})


async def accept_events(connection: Connection, events: Sequence[AcceptedEvent]) -> list[bool]:
    """Store the new events, each with its job and audit event. Return, for each event, whether it was new."""
    new = await _insert_events(connection, events, EVENT_JOB)
    return [accepted.id in new for accepted in events]


# One statement stores many events, each with its job and its audit event. A repeated event (same person, kind,
# `updatedAt` and bytes) adds no row, no job and no audit event (spec: webhook rule 6).
#
# Lock order: rows are inserted in the order of the unique key, so two concurrent statements with the same events cannot
# deadlock.
@statement(f"""
WITH offered AS (
    SELECT * FROM unnest(
        :events.id::uuid[], :events.event.cpf::text[], :events.event.evento::text[], :events.event.at::timestamptz[],
        :events.event.dados::jsonb[], :events.event.dados_sha256::bytea[], :events.client::text[],
        :events.request_id::text[], :events.payload::bytea[], :events.trail::jsonb[])
        AS offered (id, cpf, evento, event_at, dados, dados_sha256, azp, request_id, payload, trail)
), stored AS (
    INSERT INTO registry.crm_event (id, cpf, evento, event_at, dados, dados_sha256, has_updated_at, azp, request_id)
    SELECT id, cpf, evento, coalesce(event_at, now()), dados, dados_sha256, event_at IS NOT NULL, azp, request_id
    FROM offered ORDER BY cpf, evento, event_at, dados_sha256
    ON CONFLICT (cpf, evento, event_at, dados_sha256) WHERE has_updated_at DO NOTHING
    RETURNING id
), {enqueue_sql(":kind", "payload", "interval '0'", "stored JOIN offered USING (id)")}
, recorded AS ({record_sql("trail", "stored JOIN offered USING (id)")})
SELECT id::text FROM stored
""")
async def _insert_events(connection: Connection, events: Sequence[AcceptedEvent], kind: str) -> set[str]: ...


async def note_repeats(connection: Connection, events: Sequence[AcceptedEvent]) -> list[None]:
    """Record which call sent each of these events again. Only the latest repetition of an event is stored."""
    await _note_repeats(connection, events)
    return [None] * len(events)


# Snapshot: this statement runs after the insert, so that it sees events that another call stored in the meantime.
#
# The repetitions have no foreign key to the event, because its check would wait for a job that has locked the event.
#
# Lock order: the rows are locked in the order of the event's id.
@statement("""
INSERT INTO registry.crm_event_repeat (event_id, request_id, repeated_at)
SELECT DISTINCT ON (event.id) event.id, offered.request_id, now()
FROM unnest(
    :events.event.cpf::text[], :events.event.evento::text[], :events.event.at::timestamptz[],
    :events.event.dados_sha256::bytea[], :events.request_id::text[])
    AS offered (cpf, evento, event_at, dados_sha256, request_id)
JOIN registry.crm_event AS event USING (cpf, evento, event_at, dados_sha256)
WHERE event.has_updated_at
ORDER BY event.id
ON CONFLICT (event_id) DO UPDATE SET request_id = excluded.request_id, repeated_at = excluded.repeated_at
""")
async def _note_repeats(connection: Connection, events: Sequence[AcceptedEvent]) -> None: ...


@statement("SELECT count(*) FROM (SELECT FROM registry.crm_event WHERE applied_at IS NULL LIMIT :at_most) AS waiting")
async def count_waiting_events(connection: Connection, at_most: int) -> int:
    """Return the number of waiting events, or `at_most` if there are more."""


class WaitingEvent(msgspec.Struct, frozen=True):
    """An event to apply.

    `dados` is None for an `anonimizacao` event, and if an erasure has already removed the payload.
    """

    cpf: Cpf
    evento: str
    at: datetime
    dados: dict[str, Any] | None
    request_id: str


@statement("""
SELECT cpf, evento, event_at AS at, dados::text, request_id
FROM registry.crm_event WHERE id = :event_id AND applied_at IS NULL
FOR UPDATE
""")
async def take_event(connection: Connection, event_id: str) -> WaitingEvent | None:
    """Lock an event that has not been applied yet, and return it. Return None if it was already applied."""


@statement("""
UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = :result WHERE id = :event_id
""")
async def finish_event(connection: Connection, event_id: str, result: str) -> None:
    """Mark the event as applied, store its result and erase the payload, which is no longer needed."""


# An erasure also covers waiting events.
#
# SKIP LOCKED: a locked row belongs to a job that is applying it, and that waits for the mirror, which this transaction
# has locked. Waiting for the row would cause a deadlock. It is also unnecessary, because the job then finds the
# tombstone and erases the payload itself.
@statement("""
UPDATE registry.crm_event SET dados = NULL
WHERE id IN (
    SELECT id FROM registry.crm_event
    WHERE cpf = :cpf AND applied_at IS NULL AND event_at <= :at AND dados IS NOT NULL
    FOR UPDATE SKIP LOCKED)
""")
async def erase_covered_events(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase the payloads of the person's unapplied events up to `at`. Return the number of erased payloads."""


@statement("""
SELECT id::text, cpf, request_id,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dados) AS key), '{}') AS fields
FROM registry.crm_event WHERE id = ANY (:ids::text[]::uuid[])
""")
async def find_event_subjects(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the person and the fields that each event concerns, by event id."""


@statement("SELECT id::text FROM registry.crm_event WHERE cpf = :cpf AND applied_at IS NULL")
async def list_waiting_event_ids(connection: Connection, cpf: Cpf) -> list[str]: ...


@statement("""
UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = 'no_effect'
WHERE id = :event_id::text::uuid AND applied_at IS NULL
""")
async def give_up_event(connection: Connection, event_id: str) -> None:
    """Close an event whose job was dropped: mark it as applied without effect, and erase its payload."""


# An event is dead if it was not applied and no job will apply it: its job is dead-lettered or no longer in the queue.
# An event whose job was dropped is not dead, because `give_up_event` marks it as applied.
_DEAD = f"""
event.applied_at IS NULL AND NOT EXISTS (
    SELECT FROM ({pending_sql(EVENT_JOB)}) AS job WHERE job.payload ->> 'event' = event.id::text)
"""


@statement("SELECT count(*) FROM registry.crm_event WHERE dados IS NOT NULL")
async def count_event_payloads(connection: Connection) -> int: ...


@statement(f"""
UPDATE registry.crm_event AS event SET dados = NULL
WHERE dados IS NOT NULL AND accepted_at <= now() - :age::interval AND {_DEAD}
""")
async def erase_old_event_payloads(connection: Connection, age: timedelta) -> int:
    """Erase the payloads of dead events that are at least `age` old. Return the number of erased payloads."""


@statement("SELECT count(*) FROM registry.crm_event")
async def count_crm_events(connection: Connection) -> int: ...


@statement(f"""
DELETE FROM registry.crm_event AS event
WHERE accepted_at <= now() - :age::interval AND (applied_at IS NOT NULL OR ({_DEAD}))
""")
async def delete_old_crm_events(connection: Connection, age: timedelta) -> int:
    """Delete applied and dead events that are at least `age` old. Return the number of deleted events.

    Only the table's owner may do this.
    """


@statement("SELECT count(*) FROM registry.crm_event_repeat")
async def count_repeats(connection: Connection) -> int: ...


@statement("DELETE FROM registry.crm_event_repeat WHERE repeated_at <= now() - :age::interval")
async def delete_old_repeats(connection: Connection, age: timedelta) -> int:
    """Delete repetitions that are at least `age` old. Return the number of deleted rows.

    Only the table's owner may do this.
    """


# The age of the oldest waiting event in seconds. Dead-lettered events do not count. The index yields events by age, so
# the statement reads only up to the first event that is not dead-lettered.
OLDEST_EVENT_SQL = f"""
SELECT extract(epoch FROM clock_timestamp() - min(accepted_at))::float8 FROM registry.crm_event
WHERE applied_at IS NULL AND id NOT IN (SELECT (payload ->> 'event')::uuid FROM ({dead_sql(EVENT_JOB)}) AS dead)
"""
EVENT_COUNTS_SQL = f"""
SELECT (SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL) AS waiting,
       ({OLDEST_EVENT_SQL})::int AS oldest_event_age,
       (SELECT count(*) FROM registry.crm_event WHERE applied_at > now() - interval '24 hours') AS applied_24h
"""


@dataclass(frozen=True, slots=True)
class EventFilters:
    """The filters of the event list. None means no filter."""

    cpf: Cpf | None
    request_id: str | None
    start: datetime | None
    end: datetime | None


# With an array, PostgreSQL can combine the indexes on `request_id` and `id`. With IN, it reads the whole table.
_MATCHING = """
FROM registry.crm_event
WHERE (:cpf::text IS NULL OR cpf = :cpf)
  AND (:request_id::text IS NULL OR request_id = :request_id
       OR id = ANY (ARRAY(
           SELECT event_id FROM registry.crm_event_repeat AS again WHERE again.request_id = :request_id)))
  AND (:start::timestamptz IS NULL OR accepted_at >= :start)
  AND (:end::timestamptz IS NULL OR accepted_at < :end)
"""


@statement(f"SELECT count(*) {_MATCHING}")
async def count_matching_events(connection: Connection, filters: EventFilters) -> int: ...


@statement(f"""
SELECT id::text, cpf, evento, event_at, has_updated_at, accepted_at, azp, request_id, applied_at, result,
    (SELECT repeated_at FROM registry.crm_event_repeat WHERE event_id = id) AS repeated_at
{_MATCHING}
ORDER BY id DESC LIMIT :limit OFFSET :offset
""")
async def list_matching_events(connection: Connection, filters: EventFilters, page: Page) -> list[CrmEvent]:
    """Return a page of events, newest first."""
