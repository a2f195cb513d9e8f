"""The actions that operations are bound to."""

from balcao.access.actions import api
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("access.action",)))
