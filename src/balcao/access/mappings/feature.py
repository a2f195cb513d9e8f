"""Which operation is bound to which action."""

from balcao.access.mappings import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
