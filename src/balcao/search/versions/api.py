"""Routes for the versions."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.search.conventions import ServiceIdInPath, parse_page_parameters, respond_to_staff
from balcao.search.routes import ROUTES
from balcao.search.versions import service
from balcao.search.versions.schemas import (
    Comparison,
    ComparisonQuery,
    ServiceVersion,
    VersionList,
    VersionListQuery,
)

VersionInPath: TypeAlias = Annotated[str, InPath(str, "Número da versão", "1", "^[1-9][0-9]{0,9}$")]

routes = ROUTES.extend(tags=["versions"])


@routes.get(
    "/api/v1/admin/services/{id}/versions",
    "search.list_versions",
    action("service_version:read"),
    "Lista as versões de um serviço",
    query=VersionListQuery,
)
async def get_service_versions(call: Call, id: ServiceIdInPath, query: Query) -> Response[VersionList]:
    """Devolve uma página das versões, da mais nova à mais antiga, sem os textos longos, também de um
    serviço excluído.
    """
    return respond_to_staff(await service.list_service_versions(call, id, *parse_page_parameters(query)))


@routes.get(
    "/api/v1/admin/services/{id}/versions/{version}",
    "search.read_version",
    action("service_version:read"),
    "Uma versão de um serviço",
    errors=[400],
)
async def get_service_version(call: Call, id: ServiceIdInPath, version: VersionInPath) -> Response[ServiceVersion]:
    """Devolve uma versão com o conteúdo completo daquele momento, também de um serviço excluído."""
    return respond_to_staff(await service.read_service_version(call, id, version))


@routes.get(
    "/api/v1/admin/services/{id}/versions/compare",
    "search.compare_versions",
    action("service_version:read"),
    "Compara duas versões de um serviço",
    query=ComparisonQuery,
)
async def compare_service_versions(call: Call, id: ServiceIdInPath, query: Query) -> Response[Comparison]:
    """Devolve os campos editoriais que diferem entre duas versões, também de um serviço excluído. Quando `from_version`
    é maior que `to_version`, o antigo e o novo trocam de lugar.
    """
    return respond_to_staff(await service.compare_service_versions(call, id, query))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.service_versions",)))
