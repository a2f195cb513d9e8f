"""Routes of the reconciliation with the CRM."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.registry.crm.reconciliation import service
from balcao.registry.crm.reconciliation.paths import RunInPath
from balcao.registry.crm.reconciliation.schemas import Reconciliation, ReconciliationBody

routes = Routes(tags=["crm"], body_limit=SMALL_BODY)


@routes.post(
    "/admin/crm/reconcile",
    "registry.reconcile_crm",
    action("crm:write"),
    "Relê o CRM, para o caso de eventos perdidos",
    calls_crm=True,
    concerns_people=True,
    description=(
        "Lê no CRM a pessoa de `cpf`, ou quem mudou lá desde `since`, e trata o que encontra como eventos com a hora "
        "em que mudou no CRM: o que já se sabe não muda nada. Uma pessoa é lida na hora; `since` é trabalho em segundo "
        "plano, que continua de onde parou, um de cada vez (409). Exige a ação `crm:write`."
    ),
    status=202,
    errors=[400, 404, 409, 502],
    example={"since": "2026-01-01T00:00:00Z"},
)
async def reconcile_crm(call: Call, body: ReconciliationBody) -> Response[Reconciliation]:
    return to_json(await service.reconcile(call, body), status=202, headers={"Cache-Control": PERSONAL})


@routes.get(
    "/admin/crm/reconcile/{run_id}",
    "registry.read_crm_reconciliation",
    action("crm:read"),
    "Andamento de uma releitura do CRM",
    description="Diz até onde foi uma releitura. Exige a ação `crm:read`; 404 para um id desconhecido.",
    errors=[404],
)
async def read_crm_reconciliation(call: Call, run_id: RunInPath) -> Reconciliation:
    return await service.read(call, run_id)
