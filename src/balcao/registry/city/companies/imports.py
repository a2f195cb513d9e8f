"""Import of companies with their responsible people and partners."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import CompanyRow
from balcao.registry.city.companies.store import CompanyMember


async def write_registered_companies(connection: Connection, rows: Sequence[CompanyRow]) -> int:
    """Store new and changed companies with their members. Return how many companies were stored."""
    changed = await store.upsert_companies(connection, rows)
    row_of = {row.cnpj: row for row in rows}
    members = [CompanyMember(cpf, cnpj) for cnpj in changed for cpf in row_of[cnpj].members]
    await store.delete_company_members(connection, changed)
    await store.insert_company_members(connection, members)
    return len(changed)


IMPORTS = [Import("companies", CompanyRow, write_registered_companies, from_table=True, key=lambda row: row.cnpj)]
