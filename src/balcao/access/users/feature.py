"""People that the catalogue knows, with their groups and roles."""

from balcao.access.users import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
