"""Route of the economic activities."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import LongMenuPageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import PUBLIC, Response, with_etag
from balcao.registry.city.activities import service
from balcao.registry.city.activities.schemas import Activities, ActivityQuery

routes = Routes(tags=["companies"])


@routes.get(
    "/cnaes",
    "registry.list_activities",
    public(),
    "Atividades econômicas (CNAE)",
    description=(
        "Devolve uma página da classificação nacional de atividades econômicas (CNAE), por subclasse, "
        "filtrada por texto ou por qualquer dos cinco códigos. Operação pública; o `ETag` permite repetir a "
        "leitura sem corpo (304)."
    ),
    errors=[304, 400],
    query=ActivityQuery,
    may_lag=True,
)
async def list_activities(call: Call, query: Query, page: LongMenuPageInQuery) -> Response[Activities]:
    return with_etag(await service.list_activities(call, query, page), call, PUBLIC)
