"""The companies' share of `balcao registry import`."""

from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import CompanyLine
from balcao.registry.loading import Load

LOADS = [Load("companies", CompanyLine, store.load)]
