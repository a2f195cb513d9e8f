"""What the rights over a person's data find here: the wallet is the city's, loaded, and never erased here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import Holding
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.wallet.service import loaded_wallet


async def _exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"carteira": msgspec.to_builtins(await loaded_wallet(connection, cpf))}


HOLDING = Holding("wallet", _exported)
