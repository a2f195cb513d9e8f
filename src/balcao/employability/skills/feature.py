"""Behaviours, skills and the areas of work that skills belong to."""

from balcao.core.feature import Feature
from balcao.employability.skills import api, store
from balcao.employability.skills.imports import IMPORTS

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, exports=store.EXPORTS)
