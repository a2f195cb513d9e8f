"""The catalogue's history, and whether it is intact."""

from balcao.access.audit import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
