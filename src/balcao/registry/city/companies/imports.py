"""The import of companies, each with its people."""

from balcao.core.imports.declaration import Import
from balcao.registry.city.companies import store
from balcao.registry.city.companies.schemas import CompanyRow

IMPORTS = [Import("companies", CompanyRow, store.import_rows, from_table=True)]
