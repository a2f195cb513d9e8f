"""The activities' share of `balcao registry import`."""

from balcao.core.imports.declaration import Load
from balcao.registry.city.activities import store
from balcao.registry.city.activities.schemas import ActivityLine

LOADS = [Load("cnaes", ActivityLine, store.load)]
