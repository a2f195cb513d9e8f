"""Companies that advertise jobs."""

from balcao.core.feature import Feature
from balcao.employability.companies import api

FEATURE = Feature(routes=api.routes.declared)
