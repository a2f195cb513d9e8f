"""Routes of the terms of use."""

from balcao.core.access.rules import own, own_alone
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.employability.schemas import Message
from balcao.employability.terms import service
from balcao.employability.terms.schemas import TermsAcceptance, TermsStatus

BASE = "/api/v1/empregabilidade/termos-uso/{cpf}"

routes = Routes(tags=["terms"], body_limit=SMALL_BODY)


@routes.get(
    BASE,
    "employability.read_terms_status",
    own("resume:read_any"),
    "Se a pessoa aceitou os termos de uso",
    description=(
        "Diz se a pessoa aceitou a versão atual dos termos de uso das vagas. Para ela mesma e para quem tem a ação "
        "`resume:read_any`, que fica na auditoria."
    ),
    errors=[304, 400],
)
async def read_terms_status(call: Call, cpf: CpfInPath) -> Response[TermsStatus]:
    """Return whether the person accepted the current version."""
    return personal(await service.read_status(call, cpf), call)


@routes.put(
    f"{BASE}/accept",
    "employability.accept_terms",
    own_alone(),
    "Aceita os termos de uso",
    description="Registra que a pessoa que chama aceita a versão atual dos termos; repetir mantém o primeiro instante.",
    errors=[400],
    rate="60/minute",
)
async def accept_terms(call: Call, cpf: CpfInPath) -> Message:
    """Accept the current version of the terms."""
    return await service.accept(call, cpf)


@routes.delete(
    BASE,
    "employability.revoke_terms",
    own_alone(),
    "Retira a aceitação dos termos de uso",
    description=(
        "Retira a aceitação da pessoa que chama: ela sai do banco de currículos e não se candidata até aceitar de "
        "novo. As candidaturas que já fez continuam; 404 se não havia aceitação."
    ),
    errors=[400, 404],
    rate="60/minute",
)
async def revoke_terms(call: Call, cpf: CpfInPath) -> Message:
    """Revoke the acceptance of the terms."""
    return await service.revoke(call, cpf)


@routes.get(
    f"{BASE}/details",
    "employability.read_terms_acceptance",
    own("resume:read_any"),
    "A aceitação dos termos de uso",
    description=(
        "Devolve a aceitação mais nova da pessoa, com o instante. Para ela mesma e para quem tem a ação "
        "`resume:read_any`, que vê o CPF mascarado e fica na auditoria; 404 se não houve nenhuma."
    ),
    errors=[304, 400, 404],
)
async def read_terms_acceptance(call: Call, cpf: CpfInPath) -> Response[TermsAcceptance]:
    """Return the person's newest acceptance."""
    return personal(await service.read_details(call, cpf), call)
