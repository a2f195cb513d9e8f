"""The versions of a configuration."""

from balcao.agents.versions import api, store
from balcao.agents.versions.imports import IMPORTS
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, exports=store.EXPORTS)
