"""Routes of the versions."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import ServiceIdInPath, respond_to_staff
from balcao.search.versions import service
from balcao.search.versions.schemas import Comparison, ComparisonQuery

routes = Routes(tags=["versions"])


@routes.get(
    "/api/v1/admin/services/{id}/versions/compare",
    "search.compare_versions",
    action("service_version:read"),
    "Compara duas versões de um serviço",
    description=(
        "Devolve os campos editoriais que diferem entre duas versões, também de um serviço excluído. Exige a ação "
        "`service_version:read`. Quando `from_version` é maior que `to_version`, o antigo e o novo trocam de lugar."
    ),
    errors=[400, 404],
    query=ComparisonQuery,
)
async def compare_versions(call: Call, id: ServiceIdInPath, query: Query) -> Response[Comparison]:
    """Return what differs between two versions of a service."""
    return respond_to_staff(await service.compare_versions(call, id, query))
