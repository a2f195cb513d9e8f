"""The departments' share of `balcao registry import`."""

from balcao.core.imports.declaration import Load
from balcao.registry.city.departments import store
from balcao.registry.city.departments.schemas import DepartmentLine

LOADS = [Load("departments", DepartmentLine, store.load)]
