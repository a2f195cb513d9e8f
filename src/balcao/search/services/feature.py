"""The services of the catalogue."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.services import api
from balcao.search.services.imports import IMPORTS

FEATURE = Feature(
    routes=api.routes.declared, imports=IMPORTS, exports=Exports(tables=("search.service_head", "search.service_slugs"))
)
