"""The departments of the city hall."""

from balcao.core.feature import Demo, Feature
from balcao.registry.city.departments import api, demo, store
from balcao.registry.city.departments.imports import IMPORTS

FEATURE = Feature(
    routes=api.routes.declared, imports=IMPORTS, demo=Demo(demo.load, demo.examples), exports=store.EXPORTS
)
