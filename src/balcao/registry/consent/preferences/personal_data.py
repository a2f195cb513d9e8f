"""The preferences as personal data: an anonymisation leaves them as they are."""

from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.audit.personal_data import ExportMember, Kept, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger.personal_data import BASIS
from balcao.registry.consent.preferences import store
from balcao.registry.consent.preferences.schemas import Preferences


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"preferencias": await store.read_preferences(connection, cpf)}


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("preferences", await store.count_preference_rows(connection, cpf), BASIS)]


PERSONAL_DATA = PersonalData(
    "preferences",
    _export,
    retain=_retain,
    tables=("registry.preferences", "registry.preference_choice"),
    members=(ExportMember("preferencias", Preferences, "Preferências de notificação.", 40),),
)
