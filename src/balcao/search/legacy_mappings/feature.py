"""The legacy mappings."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.legacy_mappings import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("search.legacy_sources", "search.tombamentos")))
