"""The versions of a service."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.versions import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("search.service_versions",)))
