"""The companies' share of `balcao registry import`."""

from balcao.core.imports.declaration import Load
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import CompanyLine

LOADS = [Load("companies", CompanyLine, store.load)]
