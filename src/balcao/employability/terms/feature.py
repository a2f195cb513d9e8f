"""The terms of use of the job listings."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.core.values.cpf import Cpf
from balcao.employability.terms import api, demo, store
from balcao.employability.terms.schemas import ExportedAcceptance


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    found = await store.read(connection, cpf)
    accepted = None if found is None else {"versao": found["version"], "aceito_em": found["aceito_em"].isoformat()}
    return {"termos_vagas": accepted}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("terms", await store.delete(connection, cpf), ["termos_uso"])]


PERSONAL_DATA = PersonalData(
    "terms",
    _export,
    _erase,
    tables=("employability.terms_acceptance",),
    members=(
        ExportMember(
            "termos_vagas",
            ExportedAcceptance | None,
            "A versão dos termos das vagas que a pessoa aceitou, e quando.",
            201,
        ),
    ),
)
FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("employability.terms_acceptance",)),
)
