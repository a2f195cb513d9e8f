"""The health units as they are registered."""

from balcao.core.feature import Feature
from balcao.health_units.units import api, store

FEATURE = Feature(routes=api.routes.declared, exports=store.EXPORTS)
