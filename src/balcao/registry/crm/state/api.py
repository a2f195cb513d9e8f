"""Routes for the state of the CRM integration and for a citizen's mirror."""

from balcao.core.access.rules import action, own
from balcao.core.context.call import Call
from balcao.core.database.gauges import Gauge
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.crm.state import service, store
from balcao.registry.crm.state.schemas import CrmMirror, CrmStatus, ReleasedFields
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"], body_limit=FORM_BODY)


@routes.get(
    "/admin/crm/status",
    "registry.read_crm_status",
    action("jobs:read"),
    "Estado da integração com o CRM",
)
async def get_crm_status(call: Call) -> CrmStatus:
    """Devolve o estado do disjuntor deste processo e, para toda a plataforma, quantos eventos e envios esperam, estão
    em andamento ou falharam de vez.
    """
    return await service.read_crm_status(call)


@routes.post(
    "/admin/crm/mirrors/{cpf}/release-future",
    "registry.release_future_registers",
    action("crm:write"),
    "Traz para o presente o que o CRM datou no futuro",
    errors=[400],
)
async def release_future_fields(call: Call, cpf: CpfInPath) -> ReleasedFields:
    """Muda para agora a data dos campos que o CRM datou no futuro e que, por isso, impedem novas mudanças. Exige a ação
    `crm:write`; 404 se o cidadão não tem espelho.
    """
    return await service.release_future_fields(call, cpf)


@routes.get(
    "/citizen/{cpf}/crm-mirror",
    "registry.read_crm_mirror",
    own("crm:read"),
    "O que o CRM e o cidadão disseram, campo a campo, com origem e data",
    errors=[304, 400],
)
async def get_crm_mirror(call: Call, cpf: CpfInPath) -> Response[CrmMirror]:
    """Devolve cada campo que o CRM ou o cidadão declarou, com a origem, a data e se o cadastro o mostra. Disponível
    para o próprio cidadão e para quem tem a ação `crm:read`.
    """
    return personal(await service.read_crm_mirror(call, cpf), call)


FEATURE = Feature(
    routes=routes.declared,
    gauges=[
        Gauge(
            "balcao_crm_oldest_seconds",
            "Seconds that the oldest CRM event, own change and citizen's request have waited",
            ("what",),
            store.find_oldest_waiting,
        )
    ],
)
