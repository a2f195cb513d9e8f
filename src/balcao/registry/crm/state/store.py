"""SQL of the CRM integration's operation. Each count reads one index."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.queue import dead_sql
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.crm.state.schemas import CrmEvent


class Counts(msgspec.Struct, frozen=True):
    """What waits and what was done; ages are in whole seconds, None when nothing waits.

    `waiting` includes events whose job is dead; the ages are of what still has a try before it.
    """

    waiting: int
    oldest_event_age: int | None
    applied_24h: int
    oldest_push_age: int | None
    future_registers: int


# The index has them by age: those that were given up are passed over, up to the first that was not.
_OLDEST_EVENT = f"""
SELECT extract(epoch FROM clock_timestamp() - min(accepted_at))::float8 FROM registry.crm_event
WHERE applied_at IS NULL AND id NOT IN (SELECT (payload ->> 'event')::uuid FROM ({dead_sql("crm_event")}) AS dead)
"""
_OLDEST_PUSH = f"""
SELECT extract(epoch FROM clock_timestamp() - min(first_change_at))::float8 FROM registry.outbox
WHERE job NOT IN (SELECT id FROM ({dead_sql("crm_push")}) AS dead)
"""


@statement(f"""
SELECT
    (SELECT count(*) FROM registry.crm_event WHERE applied_at IS NULL) AS waiting,
    ({_OLDEST_EVENT})::int AS oldest_event_age,
    (SELECT count(*) FROM registry.crm_event WHERE applied_at > now() - interval '24 hours') AS applied_24h,
    ({_OLDEST_PUSH})::int AS oldest_push_age,
    (SELECT count(*) FROM registry.register WHERE at > now() OR confirmed_at > now()) AS future_registers
""")
async def read_crm_counts(connection: Connection) -> Counts: ...


async def find_oldest_waiting(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return for how long, in seconds, the oldest event and the oldest own change have waited; 0 when none waits.

    One that was given up waits for nothing but an operator; the metric of dead jobs counts it.
    """
    return {(what,): waited or 0.0 for what, waited in (await _find_oldest(connection)).items()}


@statement(f"SELECT ({_OLDEST_EVENT}) AS event, ({_OLDEST_PUSH}) AS push")
async def _find_oldest(connection: Connection) -> dict[str, float | None]: ...


@dataclass(frozen=True, slots=True)
class EventFilters:
    """Which events to list; what is None does not restrict."""

    cpf: Cpf | None
    request_id: str | None
    start: datetime | None
    end: datetime | None


_MATCHING = """
FROM registry.crm_event
WHERE (:cpf::text IS NULL OR cpf = :cpf)
  AND (:request_id::text IS NULL OR request_id = :request_id)
  AND (:start::timestamptz IS NULL OR accepted_at >= :start)
  AND (:end::timestamptz IS NULL OR accepted_at < :end)
"""


@statement(f"SELECT count(*) {_MATCHING}")
async def count_matching_events(connection: Connection, filters: EventFilters) -> int: ...


@statement(f"""
SELECT id::text, cpf, evento, event_at, has_updated_at, accepted_at, azp, request_id, applied_at, result
{_MATCHING}
ORDER BY id DESC LIMIT :limit OFFSET :offset
""")
async def list_matching_events(connection: Connection, filters: EventFilters, page: Page) -> list[CrmEvent]:
    """Return a page of events, the newest first."""
