"""Parts of a job that staff change on their own: its steps, and its lists of reference values."""

from balcao.core.feature import Feature
from balcao.employability.hiring.parts import api

FEATURE = Feature(routes=api.routes.declared)
