"""The activities' share of `balcao registry import`."""

from balcao.registry.city.activities import store
from balcao.registry.city.activities.schemas import ActivityLine
from balcao.registry.loading import Load

LOADS = [Load("cnaes", ActivityLine, store.load)]
