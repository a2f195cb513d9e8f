"""Counts of notifications for those who plan."""

from balcao.core.feature import Feature
from balcao.health_units.counts import api

FEATURE = Feature(routes=api.routes.declared)
