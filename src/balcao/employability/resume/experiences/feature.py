"""The experiences of a resume."""

from balcao.core.feature import Feature
from balcao.employability.resume.experiences import api

FEATURE = Feature(routes=api.routes.declared)
