"""The login sync."""

from balcao.core.feature import Feature
from balcao.registry.crm.login import api

FEATURE = Feature(routes=api.routes.declared)
