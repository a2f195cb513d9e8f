"""The service tickets as personal data: they are the city's, imported, and never erased here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.tickets.schemas import Ticket
from balcao.registry.person.tickets.service import read_ticket_page


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"chamados": msgspec.to_builtins((await read_ticket_page(connection, cpf)).data)}


PERSONAL_DATA = PersonalData(
    "tickets",
    _export,
    tables=("registry.ticket",),
    members=(ExportMember("chamados", list[Ticket], "Chamados do cidadão nos canais da prefeitura.", 110),),
)
