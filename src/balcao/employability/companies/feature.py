"""Companies that advertise jobs."""

from balcao.core.feature import Demo, Feature
from balcao.employability.companies import api, demo, store
from balcao.employability.companies.imports import IMPORTS

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, demo=Demo(demo.load), exports=store.EXPORTS)
