"""The public search."""

from balcao.core.feature import Feature
from balcao.search.public_search import answers, api

FEATURE = Feature(routes=api.routes.declared, limits=answers.LIMITS)
