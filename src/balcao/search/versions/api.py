"""Routes of the versions."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import action
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.search.conventions import ServiceIdInPath, staff_answer
from balcao.search.versions import service
from balcao.search.versions.schemas import Comparison, ComparisonQuery


@operation(
    "GET",
    "/api/v1/admin/services/{id:str}/versions/compare",
    "search.compare_versions",
    action("service_version:read"),
    "Compara duas versões de um serviço",
    errors=[400, 404],
    query=ComparisonQuery,
    tags=["versions"],
)
async def compare_versions(
    call: CurrentCall, id: ServiceIdInPath, request: Request[Any, Any, Any]
) -> Response[Comparison]:
    return staff_answer(await service.compare_versions(call, id, query_of(request)))


ROUTES = [compare_versions]
