"""Validators for forms."""

from balcao.core.feature import Feature
from balcao.registry.person.validators import api

FEATURE = Feature(routes=api.routes.declared)
