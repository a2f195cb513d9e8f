"""Read a citizen's service tickets."""

from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, Source
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.tickets import store
from balcao.registry.person.tickets.schemas import Ticket, Tickets
from balcao.registry.person.tickets.store import TicketTotals

EVERYTHING = Page(1, 1_000_000)  # no person has this many tickets


async def list_tickets(call: Call, cpf: Cpf, page: Page) -> Tickets:
    async with call.reading(cpf, ["tickets"]) as source:
        return await _read_ticket_page(source, cpf, page)


async def list_all_tickets(connection: Connection, cpf: Cpf) -> list[Ticket]:
    """Return all tickets, for the person's data export."""
    return (await _read_ticket_page(connection, cpf, EVERYTHING)).data


async def _read_ticket_page(source: Source, cpf: Cpf, page: Page) -> Tickets:
    totals = await store.count_tickets(source, cpf)
    rows = await store.select_tickets(source, cpf, page)
    found = [_to_ticket(row, totals) for row in rows]
    return Tickets(found, page.of(totals.total_chamados))


def _to_ticket(row: dict[str, Any], totals: TicketTotals) -> Ticket:
    members = {**row, **totals._asdict()}
    if not members["aguarda_resposta"]:
        del members["aguarda_resposta"]
    return msgspec.convert(members, Ticket)
