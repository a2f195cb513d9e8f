"""Route for service tickets."""

from balcao.core.access.rules import own
from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath, Query
from balcao.core.http.responses import Response, personal
from balcao.registry.person.tickets import service, store
from balcao.registry.person.tickets.imports import IMPORTS
from balcao.registry.person.tickets.schemas import Ticket, TicketQuery, Tickets
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}/maintenance-request",
    "registry.list_tickets",
    own("citizen:read"),
    "Chamados de serviço do cidadão, os mais novos primeiro",
    query=TicketQuery,
    errors=[304],
)
async def get_tickets(call: Call, cpf: CpfInPath, query: Query, page: PageInQuery) -> Response[Tickets]:
    """Devolve uma página dos chamados que a cidade tem em nome do cidadão, os mais novos primeiro: os que vêm da
    central de atendimento, que não podem ser alterados aqui, e os pedidos feitos nesta plataforma, cujo `id` é o número
    do pedido. Um chamado da central com o protocolo de um pedido é o mesmo, e só o pedido aparece. Um pedido com uma
    pergunta que o cidadão ainda não respondeu tem `aguarda_resposta`, e o filtro de mesmo nome mostra só esses.
    """
    return personal(await service.list_tickets(call, cpf, query, page), call)


EXPORTED = ExportMember(
    "chamados", list[Ticket], "Chamados do cidadão nos canais da prefeitura.", 110, service.list_all_tickets
)

# Imported tickets are the city's own data, so the erasure of a person does not delete them.
PERSONAL_DATA = PersonalData("tickets", [EXPORTED], tables=["registry.ticket"])

FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    imports=IMPORTS,
    exports=store.EXPORTS,
)
