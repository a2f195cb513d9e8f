"""The notification categories."""

from balcao.core.feature import Feature
from balcao.registry.consent.categories import api

FEATURE = Feature(routes=api.routes.declared)
