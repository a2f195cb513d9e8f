"""Reading a citizen's service tickets."""

import msgspec

from balcao.core.call import Call
from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.core.paging import Page
from balcao.registry.tickets import store
from balcao.registry.tickets.schemas import Ticket, Tickets

# For the export, which takes them all.
EVERYTHING = Page(1, 1_000_000)


async def list_tickets(call: Call, cpf: Cpf, asked: Page) -> Tickets:
    async with call.reading(cpf, ["tickets"]) as connection:
        return await tickets_of(connection, cpf, asked)


async def tickets_of(connection: Connection, cpf: Cpf, asked: Page = EVERYTHING) -> Tickets:
    totals = dict(await store.totals(connection, cpf))
    rows = await store.page(connection, cpf, asked)
    found = msgspec.convert([{**row, **totals} for row in rows], list[Ticket])
    return Tickets(found, asked.of(totals["total_chamados"]))
