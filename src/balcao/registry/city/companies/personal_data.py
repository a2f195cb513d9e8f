"""The companies of a person as personal data; the city's register of companies is never erased."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.views import masked


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    companies = await store.all_of_person(connection, cpf)
    return {"empresas": msgspec.to_builtins([masked(company, cpf) for company in companies])}


PERSONAL_DATA = PersonalData("companies", _export, tables=("registry.company_member",))
