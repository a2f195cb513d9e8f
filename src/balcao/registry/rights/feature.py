"""The rights of a person over their data, and the audit trail."""

from balcao.core.feature import Feature
from balcao.registry.rights import api

FEATURE = Feature(routes=api.routes.declared)
