"""Jobs, as staff keep them."""

from balcao.core.feature import Feature
from balcao.employability.jobs.listings import api

FEATURE = Feature(routes=api.routes.declared)
