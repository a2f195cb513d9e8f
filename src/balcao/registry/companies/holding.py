"""The companies of a person, for the export of their data; the city's register of companies is never erased."""

from typing import Any

import msgspec

from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.registry.companies import store
from balcao.registry.companies.showing import masked
from balcao.registry.holding import Holding


async def _exported(connection: Connection, cpf: Cpf) -> dict[str, Any]:
    companies = await store.all_of_person(connection, cpf)
    return {"empresas": msgspec.to_builtins([masked(company, cpf) for company in companies])}


HOLDING = Holding("companies", _exported, tables=("registry.company_member",))
