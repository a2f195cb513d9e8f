"""Roles, and what they grant."""

from balcao.access.roles import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
