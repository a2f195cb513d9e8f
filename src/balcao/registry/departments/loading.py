"""The departments' share of `balcao registry import`."""

from balcao.registry.departments import store
from balcao.registry.departments.schemas import DepartmentLine
from balcao.registry.loading import Load

LOADS = [Load("departments", DepartmentLine, store.load)]
