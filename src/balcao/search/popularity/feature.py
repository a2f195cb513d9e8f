"""The popularity of services, computed from their views."""

from balcao.core.audit.retention import OldRows
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.popularity import jobs, service, store

FEATURE = Feature(
    jobs=jobs.JOBS,
    retention=[OldRows("search_views", store.count_view_rows, store.delete_old_views, service.KEPT_DAYS)],
    exports=Exports(tables=("search.service_popularity", "search.service_views")),
)
