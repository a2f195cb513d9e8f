"""Import of the city's departments."""

from balcao.core.imports.declaration import Import
from balcao.registry.city.departments import store
from balcao.registry.city.departments.schemas import DepartmentRow

IMPORTS = [Import("departments", DepartmentRow, store.upsert_departments, from_table=True, key=lambda row: row.cd_ua)]
