"""What a request needs, and whether somebody may make it."""

from balcao.access.decisions import api
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared)
