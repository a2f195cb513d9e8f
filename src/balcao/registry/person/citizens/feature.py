"""The citizen record."""

from balcao.core.feature import Feature
from balcao.registry.person.citizens import api, store
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.registry.person.citizens.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA, imports=IMPORTS, exports=store.EXPORTS)
