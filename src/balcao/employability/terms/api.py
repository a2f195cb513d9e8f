"""Routes for the terms of use."""

from collections.abc import Mapping
from typing import Any

from balcao.core.access.rules import own, own_only
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.core.values.cpf import Cpf
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message
from balcao.employability.terms import service, store
from balcao.employability.terms.schemas import ExportedAcceptance, TermsAcceptance, TermsStatus

BASE = "/api/v1/empregabilidade/termos-uso/{cpf}"

routes = ROUTES.extend(tags=["terms"], body_limit=SMALL_BODY)


@routes.get(
    BASE,
    "employability.read_terms_status",
    own("resume:read_any"),
    "Se a pessoa aceitou os termos de uso",
    errors=[304, 400],
)
async def get_terms_status(call: Call, cpf: CpfInPath) -> Response[TermsStatus]:
    """Diz se a pessoa aceitou a versão atual dos termos de uso das vagas. Disponível para a própria pessoa e para quem
    tem a ação `resume:read_any`; a leitura por outra pessoa fica na auditoria.
    """
    return personal(await service.read_terms_status(call, cpf), call)


@routes.put(
    f"{BASE}/accept",
    "employability.accept_terms",
    own_only(),
    "Aceita os termos de uso",
    errors=[400],
    rate="60/minute",
)
async def accept_terms(call: Call, cpf: CpfInPath) -> Message:
    """Registra que a pessoa que chama aceita a versão atual dos termos. Repetir a chamada mantém a data da primeira."""
    return await service.accept_terms(call, cpf)


@routes.delete(
    BASE,
    "employability.revoke_terms",
    own_only(),
    "Retira a aceitação dos termos de uso",
    errors=[400],
    rate="60/minute",
)
async def revoke_terms(call: Call, cpf: CpfInPath) -> Message:
    """Retira a aceitação dos termos. A pessoa sai do banco de currículos e só pode candidatar-se depois de aceitar de
    novo. As candidaturas que já fez continuam. Se não havia aceitação, a resposta é 404.
    """
    return await service.revoke_terms(call, cpf)


@routes.get(
    f"{BASE}/details",
    "employability.read_terms_acceptance",
    own("resume:read_any"),
    "A aceitação dos termos de uso",
    errors=[304, 400],
)
async def get_terms_acceptance(call: Call, cpf: CpfInPath) -> Response[TermsAcceptance]:
    """Devolve a última aceitação da pessoa, com a data, ou 404 se não há nenhuma. Disponível para a própria pessoa e
    para quem tem a ação `resume:read_any`. Para outra pessoa, o CPF vem mascarado e a leitura fica na auditoria.
    """
    return personal(await service.read_acceptance(call, cpf), call)


async def _read_exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any] | None:
    found = await store.select_acceptance(connection, cpf)
    return None if found is None else {"versao": found.version, "aceito_em": found.aceito_em.isoformat()}


PERSONAL_DATA = PersonalData(
    "terms",
    [
        ExportMember(
            "termos_vagas",
            ExportedAcceptance | None,
            "A versão dos termos das vagas que a pessoa aceitou, e quando.",
            201,
            _read_exported,
        )
    ],
    erase_rows("terms", store.delete_acceptance, ["termos_uso"]),
    tables=["employability.terms_acceptance"],
)
FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    exports=Exports(tables=("employability.terms_acceptance",)),
)
