"""SQL for the state of the CRM integration, composed of expressions from other stores."""

from collections.abc import Mapping

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.queue import oldest_sql
from balcao.registry.crm.events.store import EVENT_COUNTS_SQL, OLDEST_EVENT_SQL
from balcao.registry.mirror.outbox_store import OLDEST_PUSH_SQL
from balcao.registry.mirror.store import FUTURE_FIELDS_SQL

REQUEST_JOB = "crm_request"  # sends citizens' requests; their area depends on this one


class Counts(msgspec.Struct, frozen=True):
    """The numbers of events and of fields dated in the future, and the ages of the oldest waiting event and push.

    Ages are whole seconds, or None if nothing waits. `waiting` includes events whose job is dead-lettered. The ages
    ignore dead-lettered events and pushes.
    """

    waiting: int
    oldest_event_age: int | None
    applied_24h: int
    oldest_push_age: int | None
    future_registers: int


@statement(f"""
SELECT events.*, ({OLDEST_PUSH_SQL})::int AS oldest_push_age, ({FUTURE_FIELDS_SQL}) AS future_registers
FROM ({EVENT_COUNTS_SQL}) AS events
""")
async def read_crm_counts(connection: Connection) -> Counts: ...


async def find_oldest_waiting(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return how many seconds the oldest event, own change and request have been waiting, or 0 if none waits.

    Dead-lettered entries do not count, because they have their own metric.
    """
    return {(what,): waited or 0.0 for what, waited in (await _find_oldest(connection)).items()}


@statement(f"""
SELECT ({OLDEST_EVENT_SQL}) AS event, ({OLDEST_PUSH_SQL}) AS push, ({oldest_sql(REQUEST_JOB)}) AS request
""")
async def _find_oldest(connection: Connection) -> dict[str, float | None]: ...
