"""What the rights over a person's data find here: tickets are the city's, loaded, and never erased here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import Holding
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.tickets.service import tickets_of


async def _exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"chamados": msgspec.to_builtins((await tickets_of(connection, cpf)).data)}


HOLDING = Holding("tickets", _exported, tables=("registry.ticket",))
