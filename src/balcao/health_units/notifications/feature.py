"""The notifications of risk."""

from balcao.core.feature import Feature
from balcao.health_units.notifications import api

FEATURE = Feature(routes=api.routes.declared)
