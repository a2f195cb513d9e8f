"""The risk of a unit as it stands."""

from balcao.core.feature import Feature
from balcao.health_units.risk import api

FEATURE = Feature(routes=api.routes.declared)
