"""The versions of the past: lists of them, and what changed from one to another."""

from balcao.agents.history import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
