"""The older jobs."""

from balcao.core.feature import Feature
from balcao.employability.legacy_jobs import api

FEATURE = Feature(routes=api.routes.declared)
