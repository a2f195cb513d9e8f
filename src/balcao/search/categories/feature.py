"""The categories."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.categories import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("search.categories",)))
