"""Imports companies that advertise jobs. A line is a JSON object with the members of a POST body."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.employability.companies import service, store
from balcao.employability.companies.schemas import CompanyBody


class CompanyRow(CompanyBody):
    """A company from the former system. `cnpj` is required."""

    def __post_init__(self) -> None:
        """Validate the row like a request body. Raises Invalid if a member is not valid."""
        service.check_new_company(self)


async def write_employers(connection: Connection, rows: Sequence[CompanyRow]) -> int:
    """Write new and changed companies, and return how many were written.

    If several rows have the same CNPJ, the last one counts.
    """
    found = {company.cnpj: company for company in map(service.check_new_company, rows)}
    return await store.upsert_imported_companies(connection, list(found.values()))


IMPORTS = [Import("employers", CompanyRow, write_employers, from_table=True)]
