"""Groups of staff."""

from balcao.access.groups import api
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(
    routes=api.routes.declared, exports=Exports(tables=("access.grp", "access.group_role", "access.membership"))
)
