"""The lists with which staff describe a notification."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.reference_lists import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("health_units.reference_values",)))
