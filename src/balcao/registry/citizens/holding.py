"""What the rights over a person's data find here: the base record is corrected at its source, never erased here."""

from collections.abc import Mapping
from typing import Any

from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.registry.citizens import store
from balcao.registry.holding import Holding


async def _exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    """As it was loaded; null when nothing was."""
    return {"registro_base": await store.read_base(connection, cpf)}


HOLDING = Holding("base_record", _exported)
