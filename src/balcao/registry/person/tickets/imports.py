"""Import of service tickets.

Only the import writes the table, in the role of the table's owner (rules: registry 3.1).
"""

from balcao.core.imports.declaration import Import
from balcao.registry.person.tickets import store
from balcao.registry.person.tickets.schemas import TicketRow

IMPORTS = [Import("tickets", TicketRow, store.upsert_tickets, from_table=True, key=lambda row: (row.cpf, row.id))]
