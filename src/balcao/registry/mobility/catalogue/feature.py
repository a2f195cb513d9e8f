"""The vehicle catalogue."""

from balcao.core.feature import Feature
from balcao.registry.mobility.catalogue import api, store
from balcao.registry.mobility.catalogue.imports import IMPORTS

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, exports=store.EXPORTS)
