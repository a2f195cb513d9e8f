"""When units open: their week, and single days instead of it."""

from balcao.core.feature import Feature
from balcao.health_units.timetables import api

FEATURE = Feature(routes=api.routes.declared)
