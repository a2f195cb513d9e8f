"""A person's companies in their data export. Companies are never erased."""

from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import Company
from balcao.registry.city.companies.views import mask_company


async def list_masked_companies(connection: Connection, cpf: Cpf) -> list[Company]:
    """Return the person's companies, with other people's CPFs masked."""
    return [mask_company(company, cpf) for company in await store.list_all_companies_of(connection, cpf)]


PERSONAL_DATA = PersonalData(
    "companies",
    [
        ExportMember(
            "empresas",
            list[Company],
            "Empresas de que o cidadão é sócio ou responsável, com os CPFs de outras pessoas mascarados.",
            100,
            list_masked_companies,
        )
    ],
    tables=["registry.company_member"],
)
