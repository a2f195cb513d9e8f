"""The first login to the job listings."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.values.cpf import Cpf
from balcao.employability.onboarding import api, store


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    completed = await store.read(connection, cpf)
    return {"apresentacao_vagas": completed.isoformat() if completed else None}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("onboarding", await store.delete(connection, cpf), ["onboarding"])]


PERSONAL_DATA = PersonalData(
    "onboarding",
    _export,
    _erase,
    tables=("employability.onboarding",),
    members=(
        ExportMember("apresentacao_vagas", datetime | None, "Quando a pessoa concluiu a apresentação das vagas.", 202),
    ),
)
FEATURE = Feature(
    routes=api.routes.declared, personal_data=PERSONAL_DATA, exports=Exports(tables=("employability.onboarding",))
)
