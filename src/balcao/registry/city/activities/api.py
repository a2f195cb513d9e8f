"""Route that lists the economic activities."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import LongMenuPageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import PUBLIC, Response, with_etag
from balcao.registry.city.activities import service, store
from balcao.registry.city.activities.imports import IMPORTS
from balcao.registry.city.activities.schemas import Activities, ActivityQuery
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["companies"])


@routes.get(
    "/cnaes",
    "registry.list_activities",
    public(),
    "Atividades econômicas (CNAE)",
    errors=[304],
    query=ActivityQuery,
    may_lag=True,
)
async def get_activities(call: Call, query: Query, page: LongMenuPageInQuery) -> Response[Activities]:
    """Devolve uma página da classificação nacional de atividades econômicas (CNAE), em ordem de subclasse. Aceita
    filtros por texto e por qualquer um dos cinco códigos. Operação pública; com o `ETag` da última leitura em
    `If-None-Match`, a resposta é 304, sem corpo, se nada mudou.
    """
    return with_etag(await service.list_activities(call, query, page), call, PUBLIC)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
