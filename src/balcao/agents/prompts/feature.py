"""The texts of instructions."""

from balcao.agents.prompts import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
