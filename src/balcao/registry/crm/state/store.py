"""SQL of the CRM integration's operation, made of parts of those whose rows are counted. Each reads one index."""

from collections.abc import Mapping

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.registry.crm.events.store import EVENT_COUNTS_SQL, OLDEST_EVENT_SQL
from balcao.registry.mirror.outbox_store import OLDEST_PUSH_SQL
from balcao.registry.mirror.store import FUTURE_FIELDS_SQL


class Counts(msgspec.Struct, frozen=True):
    """What waits and what was done; ages are in whole seconds, None when nothing waits.

    `waiting` includes events whose job is dead; the ages are of what still has a try before it.
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
    """Return for how long, in seconds, the oldest event and the oldest own change have waited; 0 when none waits.

    One that was given up waits for nothing but an operator; the metric of dead jobs counts it.
    """
    return {(what,): waited or 0.0 for what, waited in (await _find_oldest(connection)).items()}


@statement(f"SELECT ({OLDEST_EVENT_SQL}) AS event, ({OLDEST_PUSH_SQL}) AS push")
async def _find_oldest(connection: Connection) -> dict[str, float | None]: ...
