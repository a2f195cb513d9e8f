"""The CRM's events, told to the person's rights, and how long they are kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from balcao.core.audit.personal_data import Cleared, Holding, nothing
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events import store

PAYLOADS = timedelta(days=30)
EVENTS = timedelta(days=90)


async def _cleared(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    return [Cleared("pending_events", await store.erase_covered(connection, cpf, at), ["dados"])]


HOLDING = Holding("crm_sync", nothing, _cleared, by_event=True, tables=("registry.crm_event", "registry.crm_lease"))

# An event is dead when nobody will apply it any more: its job failed for the last time or was dropped.
_DEAD = """
event.applied_at IS NULL AND NOT EXISTS (
    SELECT FROM queue.pgqueuer AS job
    WHERE job.entrypoint = 'crm_event' AND job.status IN ('queued', 'picked')
      AND convert_from(job.payload, 'UTF8')::jsonb ->> 'event' = event.id::text)
"""
_COUNT_PAYLOADS = "SELECT count(*) FROM registry.crm_event WHERE dados IS NOT NULL"
_ERASE_PAYLOADS = f"""
UPDATE registry.crm_event AS event SET dados = NULL
WHERE dados IS NOT NULL AND accepted_at <= now() - $1::interval AND {_DEAD}
RETURNING true
"""  # noqa: S608 - our own words only
_COUNT_EVENTS = "SELECT count(*) FROM registry.crm_event"
_DELETE_EVENTS = f"""
DELETE FROM registry.crm_event AS event
WHERE accepted_at <= now() - $1::interval AND (applied_at IS NOT NULL OR ({_DEAD}))
RETURNING true
"""  # noqa: S608 - our own words only


async def _payloads(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_PAYLOADS)
    return Swept(checked, len(await connection.fetch(_ERASE_PAYLOADS, PAYLOADS)))


async def _events(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_EVENTS)
    return Swept(checked, len(await connection.fetch(_DELETE_EVENTS, EVENTS)))


RETENTION = (Retention("crm_event_payload", _payloads), Retention("crm_event", _events))
