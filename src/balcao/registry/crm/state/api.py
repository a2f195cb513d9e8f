"""Routes of the CRM integration's operation and of the mirror as it stands."""

from typing import Any
from zoneinfo import ZoneInfo

from litestar import Request, Response

from balcao.core.access.rules import action, own
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.http.responses import personal
from balcao.core.values.period import period_of
from balcao.registry.crm.state import service
from balcao.registry.crm.state.schemas import CrmEventPage, CrmMirror, CrmStatus, EventQuery, ReleasedRegisters
from balcao.registry.crm.state.store import Wanted
from balcao.registry.paths import CpfInPath, path_cpf, query_cpf, query_text


@operation(
    "GET",
    "/admin/crm/status",
    "registry.read_crm_status",
    action("jobs:read"),
    "Estado da integração com o CRM",
    tags=["crm"],
)
async def read_crm_status(call: CurrentCall) -> CrmStatus:
    return await service.read_status(call)


@operation(
    "GET",
    "/admin/crm/events",
    "registry.list_crm_events",
    action("crm:read"),
    "Eventos recebidos do CRM, sem os seus dados",
    errors=[400],
    query=EventQuery,
    tags=["crm"],
)
async def list_crm_events(call: CurrentCall, request: Request[Any, Any, Any]) -> CrmEventPage:
    query = query_of(request)
    period = period_of(query, ZoneInfo(call.platform.settings.time_zone))
    wanted = Wanted(query_cpf(query), query_text(query, "request_id", longest=200), period.start, period.end)
    return await service.list_events(call, wanted, page_of(request))


@operation(
    "POST",
    "/admin/crm/mirrors/{cpf:str}/release-future",
    "registry.release_future_registers",
    action("crm:write"),
    "Traz para o presente o que o CRM datou no futuro",
    errors=[400],
    tags=["crm"],
)
async def release_future_registers(call: CurrentCall, cpf: CpfInPath) -> ReleasedRegisters:
    return await service.release_future(call, path_cpf(cpf))


@operation(
    "GET",
    "/citizen/{cpf:str}/crm-mirror",
    "registry.read_crm_mirror",
    own("crm:read"),
    "O que o CRM e o cidadão disseram, campo a campo, com origem e data",
    errors=[304, 400],
    tags=["crm"],
)
async def read_crm_mirror(call: CurrentCall, cpf: CpfInPath) -> Response[CrmMirror]:
    return personal(await service.read_mirror(call, path_cpf(cpf)), call)


ROUTES = [read_crm_mirror, read_crm_status, list_crm_events, release_future_registers]
