"""The companies."""

from balcao.core.feature import Demo, Feature
from balcao.registry.city.companies import api, demo, store
from balcao.registry.city.companies.imports import IMPORTS
from balcao.registry.city.companies.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    imports=IMPORTS,
    demo=Demo(demo.load, demo.examples),
    exports=store.EXPORTS,
)
