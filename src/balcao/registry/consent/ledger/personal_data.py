"""The ledger as personal data: the proof of consent, which an anonymisation leaves as it is, for five years."""

from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.audit.personal_data import ExportMember, Kept, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger import service, store
from balcao.registry.consent.ledger.schemas import LedgerEntry

BASIS = "Prova do consentimento."
KEPT = "5 years"


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"historico_preferencias": await service.list_history(connection, cpf)}


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("preference_history", await store.count_ledger_entries(connection, cpf), BASIS)]


PERSONAL_DATA = PersonalData(
    "ledger",
    _export,
    retain=_retain,
    tables=("registry.preference_ledger",),
    members=(
        ExportMember(
            "historico_preferencias",
            list[LedgerEntry],
            "Cada mudança das preferências de notificação, com data e origem.",
            50,
        ),
    ),
)


async def _old_chains(_: Call, connection: Connection) -> Swept:
    checked = await store.count_all_ledger_entries(connection)
    return Swept(checked, await store.delete_old_chains(connection, KEPT))


RETENTION = [Retention("preference_ledger", _old_chains)]
