"""What this room holds of a person: the preferences and their proof, which an anonymisation leaves as they are."""

from typing import Any

from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.registry.holding import Holding
from balcao.registry.notifications import store
from balcao.registry.notifications.ledger import service as ledger


async def exported(connection: Connection, cpf: Cpf) -> dict[str, Any]:
    return {
        "preferencias": await store.read(connection, cpf),
        "historico_preferencias": await ledger.whole_history(connection, cpf),
    }


HOLDING = Holding("notifications", exported)
