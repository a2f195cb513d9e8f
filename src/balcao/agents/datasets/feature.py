"""The examples with which agents are judged."""

from balcao.agents.datasets import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
