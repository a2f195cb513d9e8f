"""The avatars on offer, and who chose which."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.person.avatars import api
from balcao.registry.person.avatars.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA, exports=Exports(tables=("registry.avatar",)))
