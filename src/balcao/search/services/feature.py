"""The services of the catalogue."""

from balcao.core.feature import Feature
from balcao.search.services import api

FEATURE = Feature(routes=api.routes.declared)
