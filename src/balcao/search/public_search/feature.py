"""The public search."""

from balcao.core.feature import Feature
from balcao.search.public_search import api

FEATURE = Feature(routes=api.routes.declared)
