"""The settings of a citizen."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.person.settings import api
from balcao.registry.person.settings.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared, personal_data=PERSONAL_DATA, exports=Exports(tables=("registry.settings",))
)
