"""The description of the agents service."""

from balcao.agent_docs.description import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
