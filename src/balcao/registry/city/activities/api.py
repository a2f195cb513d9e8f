"""Route of the economic activities."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import public
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.http.responses import PUBLIC, with_etag
from balcao.registry.city.activities import service
from balcao.registry.city.activities.schemas import Activities, ActivityQuery


@operation(
    "GET",
    "/cnaes",
    "registry.list_activities",
    public(),
    "Atividades econômicas (CNAE)",
    errors=[304, 400],
    query=ActivityQuery,
    tags=["companies"],
)
async def list_activities(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[Activities]:
    return with_etag(await service.list_activities(call, query_of(request), page_of(request)), call, PUBLIC)


ROUTES = [list_activities]
