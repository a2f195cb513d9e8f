"""The examples with which agents are judged."""

from balcao.agents.datasets import api, store
from balcao.agents.datasets.imports import IMPORTS
from balcao.agents.datasets.retention import RETENTION
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared, retention=RETENTION, imports=IMPORTS, exports=store.EXPORTS)
