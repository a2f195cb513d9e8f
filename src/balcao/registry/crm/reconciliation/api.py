"""Routes for the reconciliation with the CRM."""

from collections.abc import Mapping, Sequence

from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.responses import PERSONAL, Response, to_json
from balcao.core.jobs.declaration import DeadJobs, Subject
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.reconciliation import service, store
from balcao.registry.crm.reconciliation.jobs import JOBS
from balcao.registry.crm.reconciliation.paths import RunInPath
from balcao.registry.crm.reconciliation.schemas import Reconciliation, ReconciliationBody
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"], body_limit=SMALL_BODY)


@routes.post(
    "/admin/crm/reconcile",
    "registry.reconcile_crm",
    action("crm:write"),
    "Relê o CRM, para o caso de eventos perdidos",
    calls_crm=True,
    concerns_people=True,
    status=202,
    errors=[404, 409, 502],
    example={"since": "2026-01-01T00:00:00Z"},
)
async def reconcile_crm(call: Call, body: ReconciliationBody) -> Response[Reconciliation]:
    """Relê do CRM a pessoa de `cpf`, ou todas as que mudaram desde `since`, e trata o que encontra como eventos, com a
    hora da mudança no CRM. O que já é conhecido não muda nada. Com `cpf`, a leitura é imediata. Com `since`, ela é
    feita em segundo plano e continua de onde parou se for interrompida; só uma pode estar em andamento (409).
    """
    return to_json(await service.reconcile_crm(call, body), status=202, headers={"Cache-Control": PERSONAL})


@routes.get(
    "/admin/crm/reconcile/{run_id}",
    "registry.read_crm_reconciliation",
    action("crm:read"),
    "Andamento de uma releitura do CRM",
)
async def get_crm_reconciliation(call: Call, run_id: RunInPath) -> Reconciliation:
    """Devolve o andamento de uma releitura. Exige a ação `crm:read`; 404 se o id não existe."""
    return await service.read_reconciliation(call, run_id)


async def _no_subjects(_: Connection, __: Sequence[str]) -> Mapping[str, Subject]:
    """Return no subjects, because a run does not concern a particular person."""
    return {}


async def _no_runs(_: Connection, __: Cpf) -> Sequence[str]:
    return ()


FEATURE = Feature(
    routes=routes.declared,
    jobs=JOBS,
    retention=[OldRows("crm_reconciliation", store.count_reconciliations, store.delete_old_reconciliations)],
    dead_jobs=[DeadJobs(store.RECONCILE_JOB, "run", _no_subjects, _no_runs, store.abandon_reconciliation)],
    exports=Exports(tables=("registry.crm_reconciliation",)),
)
