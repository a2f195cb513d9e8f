"""The tickets that a citizen currently has in the CRM (rules: registry 4.11). The platform does not store them."""

from datetime import datetime

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf
from balcao.crm import tickets
from balcao.crm.client import CrmClient
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.tickets import Order, Texts, Ticket
from balcao.registry.crm import iso_time
from balcao.registry.crm.tickets.schemas import CrmTicket, CrmTickets, OrderProgress, ServiceOrder

FIELDS = ["crm_tickets"]


async def list_crm_tickets(call: Call, cpf: Cpf) -> CrmTickets:
    """Return the caller's own tickets, or an empty list if they have no account.

    Raises CrmFailed if the CRM fails or rejects the call, and Unavailable if no CRM is configured.
    """
    found = await tickets.find_tickets(call.platform.part(CrmClient), cpf, Deadline.within(BUDGET_SECONDS))
    async with call.as_owner().reading(cpf, FIELDS):
        return CrmTickets([_to_wire(ticket) for ticket in found])


async def read_crm_ticket(call: Call, cpf: Cpf, number: str) -> CrmTicket:
    """Return one of the caller's own tickets.

    Raises NotFound for an unknown number or another person's ticket. Raises CrmFailed if the CRM fails or rejects the
    call, and Unavailable if no CRM is configured.
    """
    found = await tickets.find_one(call.platform.part(CrmClient), cpf, number, Deadline.within(BUDGET_SECONDS))
    if found is None:
        raise NotFound("Não há protocolo seu com este número.", code="ticket-unknown")
    async with call.as_owner().reading(cpf, FIELDS):
        return _to_wire(found)


def _to_wire(ticket: Ticket) -> CrmTicket:
    texts = ticket.texts
    return CrmTicket(
        protocolo=texts["protocolo"],
        categoria=texts.get("categoria"),
        subcategoria=texts.get("subcategoria"),
        data_abertura=_parse_time(texts, "dataAbertura"),
        data_ultima_atualizacao=_parse_time(texts, "dataUltimaAtualizacao"),
        status=texts.get("status"),
        origem=texts.get("origem"),
        ordens_de_servico=[_to_order(order) for order in ticket.orders],
    )


def _to_order(order: Order) -> ServiceOrder:
    texts = order.texts
    return ServiceOrder(
        numero=texts["numero"],
        status=texts.get("status"),
        data_abertura=_parse_time(texts, "dataAbertura"),
        data_fechamento=_parse_time(texts, "dataFechamento"),
        endereco=texts.get("endereco"),
        previsao_sla=texts.get("previsaoSLA"),
        andamentos=[OrderProgress(_parse_time(step, "data"), step.get("descricao")) for step in order.progress],
    )


def _parse_time(texts: Texts, key: str) -> datetime | None:
    """Return the time, or None if the CRM sent none. Raises CrmAway for an invalid time."""
    if key not in texts:
        return None
    moment = iso_time.parse_iso_time(texts[key])
    if moment is None:
        raise CrmAway
    return moment
