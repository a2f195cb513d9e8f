"""Route of the economic activities."""

from typing import Any

from litestar import Request, Response

from balcao.core.answers import PUBLIC, with_etag
from balcao.core.operations import CurrentCall, operation, query_of
from balcao.core.paging import page_of
from balcao.core.rules import public
from balcao.registry.activities import service
from balcao.registry.activities.schemas import Activities, ActivityQuery


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
