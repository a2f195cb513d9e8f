"""Jobs, as anybody reads them."""

from balcao.core.feature import Feature
from balcao.employability.hiring.public import api

FEATURE = Feature(routes=api.routes.declared)
