"""Every room's share in the rights of a person: a room with personal data is in this list.

In the order in which an anonymisation clears: the mirror first, then what is judged by what is left in it.
"""

from collections.abc import Sequence
from datetime import datetime

from balcao.core.audit.personal_data import Cleared, Holding, nothing
from balcao.core.database.pool import Connection
from balcao.core.http import idempotency
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies.personal_data import HOLDING as COMPANIES
from balcao.registry.city.staff_departments.personal_data import HOLDING as STAFF_DEPARTMENTS
from balcao.registry.consent.preferences.personal_data import HOLDING as NOTIFICATIONS
from balcao.registry.consent.preferences.personal_data import RETENTION as LEDGER
from balcao.registry.crm.events.personal_data import HOLDING as CRM_SYNC
from balcao.registry.crm.events.personal_data import RETENTION as CRM_EVENTS
from balcao.registry.mirror.personal_data import HOLDING as MIRROR
from balcao.registry.mobility.holding import HOLDING as MOBILITY
from balcao.registry.mobility.holding import RETENTION as VEHICLES
from balcao.registry.person.avatars.personal_data import HOLDING as AVATARS
from balcao.registry.person.citizens.personal_data import HOLDING as CITIZENS
from balcao.registry.person.pets.personal_data import HOLDING as PETS
from balcao.registry.person.phones.personal_data import HOLDING as PHONES
from balcao.registry.person.phones.personal_data import RETENTION as VERIFICATIONS
from balcao.registry.person.settings.personal_data import HOLDING as SETTINGS
from balcao.registry.person.tickets.personal_data import HOLDING as TICKETS
from balcao.registry.person.wallet.personal_data import HOLDING as WALLET

_LATEST = "SELECT greatest($1, clock_timestamp())"


async def _forget_answers(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """All until now: also an answer that is younger than an event may hold what is older."""
    count = await idempotency.forget_person(connection, cpf, await connection.fetchval(_LATEST, at))
    return [Cleared("repeatable_answers", count, ["answer"])]


ANSWERS = Holding("repeatable_answers", nothing, _forget_answers, by_event=True, tables=("platform.idempotent_answer",))

HOLDINGS = (
    CITIZENS,
    WALLET,
    TICKETS,
    MIRROR,
    CRM_SYNC,
    PHONES,
    ANSWERS,
    NOTIFICATIONS,
    SETTINGS,
    AVATARS,
    PETS,
    MOBILITY,
    COMPANIES,
    STAFF_DEPARTMENTS,
)
RETENTION = (*CRM_EVENTS, *VERIFICATIONS, *LEDGER, *VEHICLES)
