"""Every room's share in the rights of a person: a room with personal data is in this list.

In the order in which an anonymisation clears: the mirror first, then what is judged by what is left in it.
"""

from collections.abc import Sequence
from datetime import datetime

from balcao.core import idempotency
from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.registry.citizens.holding import HOLDING as CITIZENS
from balcao.registry.crm_sync.holding import HOLDING as CRM_SYNC
from balcao.registry.crm_sync.holding import RETENTION as CRM_EVENTS
from balcao.registry.holding import Cleared, Holding, nothing
from balcao.registry.mirror.holding import HOLDING as MIRROR
from balcao.registry.notifications.holding import HOLDING as NOTIFICATIONS

_LATEST = "SELECT greatest($1, clock_timestamp())"


async def _forget_answers(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """All until now: also an answer that is younger than an event may hold what is older."""
    count = await idempotency.forget_person(connection, cpf, await connection.fetchval(_LATEST, at))
    return [Cleared("repeatable_answers", count, ["answer"] if count else [])]


ANSWERS = Holding("repeatable_answers", nothing, _forget_answers, by_event=True, tables=("platform.idempotent_answer",))

HOLDINGS = (CITIZENS, MIRROR, CRM_SYNC, ANSWERS, NOTIFICATIONS)
RETENTION = (*CRM_EVENTS,)
