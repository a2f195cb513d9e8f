"""The control queries."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.control_queries import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("search.control_queries",)))
