"""The CRM's events as personal data, and their retention."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events import store

PAYLOAD_AGE = timedelta(days=30)
EVENT_AGE = timedelta(days=90)


async def erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase the payloads of the person's events that wait and are covered by the erasure."""
    return [Cleared("pending_events", await store.erase_covered_events(connection, cpf, at), ["dados"])]


PERSONAL_DATA = PersonalData("crm_events", erase=erase, by_event=True, tables=("registry.crm_event",))


async def erase_payloads(_: Call, connection: Connection) -> Swept:
    """Erase old payloads that nobody will apply any more."""
    checked = await store.count_event_payloads(connection)
    return Swept(checked, await store.erase_old_event_payloads(connection, PAYLOAD_AGE))


async def delete_events(_: Call, connection: Connection) -> Swept:
    """Delete old events that are applied or dead."""
    checked = await store.count_crm_events(connection)
    return Swept(checked, await store.delete_old_crm_events(connection, EVENT_AGE))


RETENTION = [Retention("crm_event_payload", erase_payloads), Retention("crm_event", delete_events)]
