"""Views and popularity."""

from balcao.core.audit.retention import Retention
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.popularity import jobs, service

FEATURE = Feature(
    jobs=jobs.JOBS,
    retention=[Retention("search_views", service.apply_retention)],
    exports=Exports(tables=("search.service_popularity", "search.service_views")),
)
