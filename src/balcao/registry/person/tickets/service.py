"""Read a citizen's service tickets."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, Source
from balcao.core.values.cpf import Cpf
from balcao.core.values.flags import parse_flag_parameter
from balcao.core.values.page import Page
from balcao.registry.person.tickets import store
from balcao.registry.person.tickets.schemas import Ticket, Tickets
from balcao.registry.person.tickets.store import TicketTotals

EVERYTHING = Page(1, 1_000_000)  # no person has this many tickets


async def list_tickets(call: Call, cpf: Cpf, query: Mapping[str, str], page: Page) -> Tickets:
    """Return a page of the citizen's tickets, newest first. Raises Invalid if the filter is not valid."""
    waits = parse_flag_parameter(query, "aguarda_resposta")
    async with call.reading(cpf, ["tickets"]) as source:
        return await _read_ticket_page(source, cpf, waits, page)


async def list_all_tickets(connection: Connection, cpf: Cpf) -> list[Ticket]:
    """Return all tickets, for the person's data export."""
    return (await _read_ticket_page(connection, cpf, None, EVERYTHING)).data


async def _read_ticket_page(source: Source, cpf: Cpf, waits: bool | None, page: Page) -> Tickets:
    totals = await store.count_tickets(source, cpf, waits)
    rows = await store.select_tickets(source, cpf, waits, page)
    found = [_to_ticket(row, totals) for row in rows]
    return Tickets(found, page.of(totals.matching))


def _to_ticket(row: dict[str, Any], totals: TicketTotals) -> Ticket:
    members = {**row, "total_chamados": totals.total_chamados, "total_fechados": totals.total_fechados}
    if not members["aguarda_resposta"]:
        del members["aguarda_resposta"]
    return msgspec.convert(members, Ticket)
