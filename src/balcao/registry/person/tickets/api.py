"""Routes of the service tickets."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.paging import PageQuery, page_of
from balcao.core.http.responses import personal
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.tickets import service
from balcao.registry.person.tickets.schemas import Tickets


@operation(
    "GET",
    "/citizen/{cpf:str}/maintenance-request",
    "registry.list_tickets",
    own("citizen:read"),
    "Chamados de serviço do cidadão, os mais novos primeiro",
    errors=[304, 400],
    query=PageQuery,
    tags=["citizen"],
)
async def list_tickets(call: CurrentCall, cpf: CpfInPath, request: Request[Any, Any, Any]) -> Response[Tickets]:
    return personal(await service.list_tickets(call, path_cpf(cpf), page_of(request)), call)


ROUTES = [list_tickets]
