"""The published services."""

from balcao.core.feature import Feature
from balcao.search.catalogue import api

FEATURE = Feature(routes=api.routes.declared)
