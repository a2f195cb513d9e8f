"""Routes for the queries that find nothing."""

from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.paging import PageQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import parse_page_parameters, respond_to_staff
from balcao.search.routes import ROUTES
from balcao.search.zero_results import service, store
from balcao.search.zero_results.schemas import FailedQueries

routes = ROUTES.extend(tags=["tuning"])


@routes.get(
    "/api/v1/admin/search/zero-results",
    "search.list_zero_results",
    action("search_tuning:manage"),
    "Lista as buscas que nada acham",
    query=PageQuery,
)
async def get_zero_results(call: Call, query: Query) -> Response[FailedQueries]:
    """Devolve as buscas que nada acharam pelo menos cinco vezes em 90 dias, em forma canônica. Elas sugerem sinônimos e
    serviços novos. Buscas com cinco algarismos seguidos ou `@` nunca são guardadas.
    """
    return respond_to_staff(await service.list_frequent(call, *parse_page_parameters(query)))


FEATURE = Feature(
    routes=routes.declared,
    retention=[
        OldRows("search_zero_results", store.count_zero_results, store.delete_old_zero_results, service.KEPT_DAYS)
    ],
    exports=Exports(tables=("search.zero_results",)),
)
