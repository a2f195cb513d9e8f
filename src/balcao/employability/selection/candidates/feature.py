"""Applications, as staff list and export them."""

from balcao.core.feature import Feature
from balcao.employability.selection.candidates import api

FEATURE = Feature(routes=api.routes.declared)
