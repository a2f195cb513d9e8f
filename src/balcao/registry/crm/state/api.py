"""Routes of the CRM integration's operation and of the mirror as it stands."""

from balcao.core.access.rules import action, own
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response, personal
from balcao.core.values.period import parse_period
from balcao.registry.crm.state import service
from balcao.registry.crm.state.schemas import CrmEventPage, CrmMirror, CrmStatus, EventQuery, ReleasedRegisters
from balcao.registry.crm.state.store import Wanted
from balcao.registry.paths import CpfInPath, query_cpf, query_text

routes = Routes(tags=["crm"])


@routes.get(
    "/admin/crm/status",
    "registry.read_crm_status",
    action("jobs:read"),
    "Estado da integração com o CRM",
)
async def read_crm_status(call: Call) -> CrmStatus:
    return await service.read_status(call)


@routes.get(
    "/admin/crm/events",
    "registry.list_crm_events",
    action("crm:read"),
    "Eventos recebidos do CRM, sem os seus dados",
    errors=[400],
    query=EventQuery,
)
async def list_crm_events(call: Call, query: Query, page: PageInQuery) -> CrmEventPage:
    period = parse_period(query, call.zone)
    wanted = Wanted(query_cpf(query), query_text(query, "request_id", longest=200), period.start, period.end)
    return await service.list_events(call, wanted, page)


@routes.post(
    "/admin/crm/mirrors/{cpf}/release-future",
    "registry.release_future_registers",
    action("crm:write"),
    "Traz para o presente o que o CRM datou no futuro",
    errors=[400],
)
async def release_future_registers(call: Call, cpf: CpfInPath) -> ReleasedRegisters:
    return await service.release_future(call, cpf)


@routes.get(
    "/citizen/{cpf}/crm-mirror",
    "registry.read_crm_mirror",
    own("crm:read"),
    "O que o CRM e o cidadão disseram, campo a campo, com origem e data",
    errors=[304, 400],
)
async def read_crm_mirror(call: Call, cpf: CpfInPath) -> Response[CrmMirror]:
    return personal(await service.read_mirror(call, cpf), call)
