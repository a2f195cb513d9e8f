"""Behaviours, skills and the areas of work that skills belong to."""

from balcao.core.feature import Feature
from balcao.employability.skills import api

FEATURE = Feature(routes=api.routes.declared)
