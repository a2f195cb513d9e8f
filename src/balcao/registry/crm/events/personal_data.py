"""The CRM's events as personal data, and how long they are kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events import store

PAYLOADS = timedelta(days=30)
EVENTS = timedelta(days=90)


async def _erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    return [Cleared("pending_events", await store.erase_covered(connection, cpf, at), ["dados"])]


PERSONAL_DATA = PersonalData("crm_events", erase=_erase, by_event=True, tables=("registry.crm_event",))


async def _payloads(_: Call, connection: Connection) -> Swept:
    checked = await store.count_payloads(connection)
    return Swept(checked, await store.erase_old_payloads(connection, PAYLOADS))


async def _events(_: Call, connection: Connection) -> Swept:
    checked = await store.count_all(connection)
    return Swept(checked, await store.delete_old(connection, EVENTS))


RETENTION = [Retention("crm_event_payload", _payloads), Retention("crm_event", _events)]
