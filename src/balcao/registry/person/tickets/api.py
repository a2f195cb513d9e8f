"""Routes of the service tickets."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.person.tickets import service
from balcao.registry.person.tickets.schemas import Tickets

routes = Routes(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/maintenance-request",
    "registry.list_tickets",
    own("citizen:read"),
    "Chamados de serviço do cidadão, os mais novos primeiro",
    errors=[304, 400],
    description=(
        "Devolve uma página dos chamados que a cidade tem em nome do cidadão, os mais novos primeiro. Os chamados vêm "
        "da central de atendimento e não mudam aqui."
    ),
)
async def list_tickets(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[Tickets]:
    """Return a page of the citizen's tickets."""
    return personal(await service.list_tickets(call, cpf, page), call)
