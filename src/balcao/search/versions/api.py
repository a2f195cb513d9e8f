"""Routes of the versions."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import ServiceIdInPath, staff_answer
from balcao.search.versions import service
from balcao.search.versions.schemas import Comparison, ComparisonQuery

routes = Routes(tags=["versions"])


@routes.get(
    "/api/v1/admin/services/{id}/versions/compare",
    "search.compare_versions",
    action("service_version:read"),
    "Compara duas versões de um serviço",
    errors=[400, 404],
    query=ComparisonQuery,
)
async def compare_versions(call: Call, id: ServiceIdInPath, query: Query) -> Response[Comparison]:
    return staff_answer(await service.compare_versions(call, id, query))
