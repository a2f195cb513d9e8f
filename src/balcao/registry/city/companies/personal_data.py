"""The companies of a person, for the export of their data; the city's register of companies is never erased."""

from typing import Any

import msgspec

from balcao.core.audit.personal_data import Holding
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies import store
from balcao.registry.city.companies.views import masked


async def _exported(connection: Connection, cpf: Cpf) -> dict[str, Any]:
    companies = await store.all_of_person(connection, cpf)
    return {"empresas": msgspec.to_builtins([masked(company, cpf) for company in companies])}


HOLDING = Holding("companies", _exported, tables=("registry.company_member",))
