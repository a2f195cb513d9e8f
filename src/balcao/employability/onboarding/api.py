"""Routes for the introduction that people see at their first login to the job listings."""

from datetime import datetime

from balcao.core.access.rules import own, own_only
from balcao.core.audit.personal_data import ExportMember, OwnRows
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.core.values.cpf import Cpf
from balcao.employability.onboarding import service, store
from balcao.employability.onboarding.schemas import Onboarding
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/onboarding/{cpf}"

routes = ROUTES.extend(tags=["terms"], body_limit=SMALL_BODY)


@routes.get(
    BASE,
    "employability.read_onboarding",
    own("resume:read_any"),
    "Se é o primeiro acesso da pessoa",
    errors=[304, 400],
)
async def get_onboarding(call: Call, cpf: CpfInPath) -> Response[Onboarding]:
    """Diz se a pessoa ainda não concluiu a apresentação das vagas. Disponível para a própria pessoa e para quem tem a
    ação `resume:read_any`; a leitura por outra pessoa fica na auditoria.
    """
    return personal(await service.read_onboarding(call, cpf), call)


@routes.put(
    f"{BASE}/complete",
    "employability.complete_onboarding",
    own_only(),
    "Conclui a apresentação",
    errors=[400],
    rate="60/minute",
)
async def complete_onboarding(call: Call, cpf: CpfInPath) -> Message:
    """Registra que a pessoa que chama concluiu a apresentação das vagas. Repetir a chamada não muda nada."""
    return await service.complete_onboarding(call, cpf)


async def _read_exported(connection: Connection, cpf: Cpf) -> str | None:
    completed = await store.read_completion(connection, cpf)
    return completed.isoformat() if completed else None


PERSONAL_DATA = OwnRows(
    "employability.onboarding",
    member=ExportMember(
        "apresentacao_vagas",
        datetime | None,
        "Quando a pessoa concluiu a apresentação das vagas.",
        202,
        _read_exported,
    ),
    fields=["onboarding"],
)
FEATURE = Feature(
    routes=routes.declared, personal_data=PERSONAL_DATA, exports=Exports(tables=("employability.onboarding",))
)
