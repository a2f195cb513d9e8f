"""The change feed for other systems."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.change_feed import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("search.feed_entries",)))
