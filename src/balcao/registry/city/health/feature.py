"""The health check that the specification names."""

from balcao.core.feature import Feature
from balcao.registry.city.health import api

FEATURE = Feature(routes=api.routes.declared)
