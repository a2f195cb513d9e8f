"""Whether the process lives and whether the search can serve, in the form that its portals know."""

from balcao.core.feature import Feature
from balcao.search.health import api

FEATURE = Feature(routes=api.routes.declared)
