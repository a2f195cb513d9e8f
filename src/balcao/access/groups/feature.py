"""Groups of staff."""

from balcao.access.groups import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
