"""How the CRM integration fares, and the mirror as it stands."""

from balcao.core.feature import Feature
from balcao.registry.crm.state import api

FEATURE = Feature(routes=api.routes.declared)
