"""The pets."""

from balcao.core.feature import Demo, Feature
from balcao.registry.person.pets import api, demo, store
from balcao.registry.person.pets.imports import IMPORTS
from balcao.registry.person.pets.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    imports=IMPORTS,
    demo=Demo(demo.load, demo.examples),
    exports=store.EXPORTS,
)
