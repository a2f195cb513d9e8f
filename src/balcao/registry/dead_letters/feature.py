"""The dead-lettered jobs of every service, over HTTP."""

from balcao.core.feature import Feature
from balcao.registry.dead_letters import api

FEATURE = Feature(routes=api.routes.declared)
