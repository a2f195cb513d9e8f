"""Routes for the change feed."""

from balcao.core.access.rules import scope
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.change_feed import service
from balcao.search.change_feed.schemas import Feed, FeedQuery
from balcao.search.conventions import respond_to_staff
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=["catalogue"])


@routes.get(
    "/api/v1/catalog/services",
    "search.list_catalog_changes",
    scope("catalogo:read"),
    "As mudanças do catálogo",
    query=FeedQuery,
)
async def get_changes(call: Call, query: Query) -> Response[Feed]:
    """Devolve, na ordem em que foram gravadas, as mudanças dos serviços publicados, para sistemas que mantêm uma cópia
    do catálogo. Cada serviço aparece uma vez, na posição da sua última mudança e com o conteúdo atual; um serviço que
    deixou de estar publicado aparece como `removed`. Comece sem `after` e envie em cada chamada o `after` da resposta
    anterior: nenhuma mudança se perde, e aplicar uma de novo não altera a cópia. A resposta inclui os serviços
    exclusivos de agentes, com `agents.exclusive_for_agents`. Exige o escopo `catalogo:read`.
    """
    return respond_to_staff(await service.list_changes(call, query))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.feed_entries",)))
