"""The units as people look for them: with their risk, and whether they are open."""

from balcao.core.feature import Feature
from balcao.health_units.directory import api

FEATURE = Feature(routes=api.routes.declared)
