"""Applications as personal data: exported whole; of an erased one stays that it was made (rules: employability 5.4)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, Kept, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.applications import store
from balcao.employability.selection.applications.exported import ExportedApplication

ERASED = ["nome", "email", "respostas_info_complementares", "curriculo_snapshot", "historico.motivo"]
BASIS = (
    "Registro do processo seletivo, sem nome, contato, respostas, currículo e motivos, até o fim do prazo de guarda."
)


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"candidaturas": await store.list_exported_applications(connection, cpf)}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("applications", await store.erase_applications(connection, cpf), ERASED)]


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("applications", await store.count_applications(connection, cpf), BASIS)]


PERSONAL_DATA = PersonalData(
    "applications",
    _export,
    _erase,
    _retain,
    tables=("employability.application",),
    members=(
        ExportMember(
            "candidaturas",
            list[ExportedApplication],
            "As candidaturas da pessoa, com respostas, currículo e o que houve nelas.",
            202,
        ),
    ),
)
