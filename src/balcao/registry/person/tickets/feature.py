"""The service tickets."""

from balcao.core.feature import Feature
from balcao.registry.person.tickets import api, store
from balcao.registry.person.tickets.imports import IMPORTS
from balcao.registry.person.tickets.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA, imports=IMPORTS, exports=store.EXPORTS)
