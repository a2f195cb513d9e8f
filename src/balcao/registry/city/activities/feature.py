"""The economic activities (CNAE)."""

from balcao.core.feature import Demo, Feature
from balcao.registry.city.activities import api, demo, store
from balcao.registry.city.activities.imports import IMPORTS

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, demo=Demo(demo.load), exports=store.EXPORTS)
