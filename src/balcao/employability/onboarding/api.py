"""Routes of the first login to the job listings."""

from balcao.core.access.rules import own, own_alone
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.employability.onboarding import service
from balcao.employability.onboarding.schemas import Onboarding
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/onboarding/{cpf}"

routes = Routes(tags=["terms"], body_limit=SMALL_BODY)


@routes.get(
    BASE,
    "employability.read_onboarding",
    own("resume:read_any"),
    "Se é o primeiro acesso da pessoa",
    description=(
        "Diz se a pessoa ainda não concluiu a apresentação das vagas. Para ela mesma e para quem tem a ação "
        "`resume:read_any`, que fica na auditoria."
    ),
    errors=[304, 400],
)
async def read_onboarding(call: Call, cpf: CpfInPath) -> Response[Onboarding]:
    """Return whether the person is new here."""
    return personal(await service.read(call, cpf), call)


@routes.put(
    f"{BASE}/complete",
    "employability.complete_onboarding",
    own_alone(),
    "Conclui a apresentação",
    description="Registra que a pessoa que chama concluiu a apresentação das vagas; repetir não muda nada.",
    errors=[400],
    rate="60/minute",
)
async def complete_onboarding(call: Call, cpf: CpfInPath) -> Message:
    """Complete the introduction."""
    return await service.complete(call, cpf)
