"""Routes of the control queries."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.responses import Response
from balcao.search.control_queries import service
from balcao.search.control_queries.schemas import ControlQueries
from balcao.search.conventions import respond_with_tag
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=["tuning"], body_limit=FORM_BODY)

_RULE = action("search_tuning:manage")


@routes.get(
    "/api/v1/admin/search/control-queries",
    "search.read_control_queries",
    _RULE,
    "As buscas de controle",
)
async def get_control_queries(call: Call) -> Response[ControlQueries]:
    """Devolve as buscas que uma migração de esquema faz nas duas tabelas antes da troca, para mostrar o que muda nos
    resultados.
    """
    return respond_with_tag(await service.read_control_queries(call))


@routes.put(
    "/api/v1/admin/search/control-queries",
    "search.replace_control_queries",
    _RULE,
    "Substitui as buscas de controle",
    errors=[412],
)
async def put_control_queries(call: Call, body: ControlQueries) -> Response[ControlQueries]:
    """Substitui a lista inteira; repetições saem. Com `If-Match`, só substitui a lista lida (412)."""
    return respond_with_tag(await service.replace_control_queries(call, body))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.control_queries",)))
