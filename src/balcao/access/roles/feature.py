"""Roles, and what they grant."""

from balcao.access.roles import api
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("access.role", "access.role_action")))
