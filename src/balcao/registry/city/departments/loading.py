"""The departments' share of `balcao registry import`."""

from balcao.registry.city.departments import store
from balcao.registry.city.departments.schemas import DepartmentLine
from balcao.registry.loading import Load

LOADS = [Load("departments", DepartmentLine, store.load)]
