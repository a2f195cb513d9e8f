"""The migrations of the collection."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.schema_migrations import api
from balcao.search.schema_migrations.jobs import JOBS

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    exports=Exports(tables=("search.search_migrations", "search.search_migration_errors")),
)
