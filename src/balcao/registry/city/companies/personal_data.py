"""The companies of a person as personal data; the city's register of companies is never erased."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import Company
from balcao.registry.city.companies.views import mask


async def export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    """Export the companies of the person, with other people's CPFs masked."""
    companies = await store.list_all_companies_of(connection, cpf)
    return {"empresas": msgspec.to_builtins([mask(company, cpf) for company in companies])}


PERSONAL_DATA = PersonalData(
    "companies",
    export,
    tables=("registry.company_member",),
    members=(
        ExportMember(
            "empresas",
            list[Company],
            "Empresas de que o cidadão é sócio ou responsável, com os CPFs de outras pessoas mascarados.",
            100,
        ),
    ),
)
