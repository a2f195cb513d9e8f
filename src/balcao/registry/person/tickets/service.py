"""Reading a citizen's service tickets."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.person.tickets import store
from balcao.registry.person.tickets.schemas import Ticket, Tickets

# For the export, which takes them all.
EVERYTHING = Page(1, 1_000_000)


async def list_tickets(call: Call, cpf: Cpf, page: Page) -> Tickets:
    async with call.reading(cpf, ["tickets"]) as connection:
        return await read_page(connection, cpf, page)


async def read_page(connection: Connection, cpf: Cpf, page: Page = EVERYTHING) -> Tickets:
    totals = dict(await store.count(connection, cpf))
    rows = await store.list_page(connection, cpf, page)
    found = msgspec.convert([{**row, **totals} for row in rows], list[Ticket])
    return Tickets(found, page.of(totals["total_chamados"]))
