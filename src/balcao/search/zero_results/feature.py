"""The queries that find nothing."""

from balcao.core.audit.retention import Retention
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.zero_results import api, service

FEATURE = Feature(
    routes=api.routes.declared,
    retention=[Retention("search_zero_results", service.apply_retention)],
    exports=Exports(tables=("search.zero_results",)),
)
