"""The city's holidays."""

from balcao.core.feature import Feature
from balcao.health_units.holidays import api, jobs

FEATURE = Feature(routes=api.routes.declared, jobs=jobs.JOBS)
