"""The migrations of the collection."""

from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.schema_migrations import api, store
from balcao.search.schema_migrations.jobs import JOBS

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    gauges=[
        Gauge(
            "balcao_search_migration_progress",
            "How far the schema migration that runs has come, in per cent",
            ("phase",),
            store.find_progress,
        )
    ],
    exports=Exports(tables=("search.search_migrations", "search.search_migration_errors")),
)
