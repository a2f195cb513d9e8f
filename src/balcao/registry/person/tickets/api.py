"""Routes of the service tickets."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal
from balcao.registry.person.tickets import service, store
from balcao.registry.person.tickets.imports import IMPORTS
from balcao.registry.person.tickets.personal_data import PERSONAL_DATA
from balcao.registry.person.tickets.schemas import Tickets
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/maintenance-request",
    "registry.list_tickets",
    own("citizen:read"),
    "Chamados de serviço do cidadão, os mais novos primeiro",
    errors=[304],
)
async def list_tickets(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[Tickets]:
    """Devolve uma página dos chamados que a cidade tem em nome do cidadão, os mais novos primeiro. Os chamados vêm da
    central de atendimento e não mudam aqui.
    """
    return personal(await service.list_tickets(call, cpf, page), call)


FEATURE = Feature(routes=routes.declared, personal_data=PERSONAL_DATA, imports=IMPORTS, exports=store.EXPORTS)
