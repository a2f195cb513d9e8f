"""The behaviours that a person claims."""

from balcao.core.feature import Feature
from balcao.employability.resume.behaviours import api

FEATURE = Feature(routes=api.routes.declared)
