"""The import of companies that advertise jobs: one JSON line for each, with the members of a POST."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.employability.companies import service, store
from balcao.employability.companies.schemas import CompanyBody


class CompanyRow(CompanyBody):
    """A company of the former system. `cnpj` is required."""

    def __post_init__(self) -> None:
        """Check the row in the same way as a body. Raises Invalid."""
        service.check_new_company(self)


async def write_employers(connection: Connection, rows: Sequence[CompanyRow]) -> int:
    """Write new and changed companies, and return how many were written. The last row of a CNPJ counts."""
    found = {company.cnpj: company for company in map(service.check_new_company, rows)}
    return await store.upsert_imported_companies(connection, list(found.values()))


IMPORTS = [Import("employers", CompanyRow, write_employers, from_table=True)]
