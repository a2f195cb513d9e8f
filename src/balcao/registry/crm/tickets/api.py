"""Routes for CRM tickets."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import Response, personal
from balcao.registry.crm.tickets import service
from balcao.registry.crm.tickets.paths import TicketInPath
from balcao.registry.crm.tickets.schemas import CrmTicket, CrmTickets
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["crm"])


@routes.get(
    "/crm/chamados",
    "registry.list_crm_tickets",
    authenticated(),
    "Meus protocolos no CRM, com as suas ordens de serviço",
    calls_crm=True,
    errors=[304, 502],
)
async def get_crm_tickets(call: Call, cpf: CallersCpf) -> Response[CrmTickets]:
    """Lê do CRM, neste momento, os protocolos de quem chama, do mais novo ao mais antigo, cada um com as ordens de
    serviço e o andamento delas. Exige um token que identifique uma pessoa (CPF). Para quem não tem conta no CRM a lista
    é vazia.
    """
    return personal(await service.list_crm_tickets(call, cpf), call)


@routes.get(
    "/crm/chamados/{protocolo}",
    "registry.read_crm_ticket",
    authenticated(),
    "Um protocolo meu no CRM",
    calls_crm=True,
    errors=[304, 502],
)
async def get_crm_ticket(call: Call, cpf: CallersCpf, protocolo: TicketInPath) -> Response[CrmTicket]:
    """Lê do CRM um protocolo de quem chama, com as ordens de serviço e o andamento delas. A resposta é 404 se o
    protocolo não existe ou é de outra pessoa.
    """
    return personal(await service.read_crm_ticket(call, cpf, protocolo), call)


FEATURE = Feature(routes=routes.declared)
