"""Whether a person may apply for a job."""

from balcao.core.feature import Feature
from balcao.employability.selection.eligibility import api

FEATURE = Feature(routes=api.routes.declared)
