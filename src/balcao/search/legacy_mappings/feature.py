"""The legacy mappings."""

from balcao.core.feature import Feature
from balcao.search.legacy_mappings import api

FEATURE = Feature(routes=api.routes.declared)
