"""Whether a token is taken."""

from balcao.agents.token_check import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
