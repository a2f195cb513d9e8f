"""The companies' share of `balcao registry import`."""

from balcao.registry.companies import store
from balcao.registry.companies.schemas import CompanyLine
from balcao.registry.loading import Load

LOADS = [Load("companies", CompanyLine, store.load)]
