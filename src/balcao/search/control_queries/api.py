"""Routes for the control queries."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.responses import Response
from balcao.search.control_queries import service
from balcao.search.control_queries.schemas import ControlEvaluation, ControlQueries
from balcao.search.conventions import respond_to_staff, respond_with_tag
from balcao.search.routes import ROUTES

# Large enough for 200 queries of 200 characters with ten services each.
BODY_LIMIT = 256 * 1024

routes = ROUTES.extend(tags=["tuning"], body_limit=BODY_LIMIT)

_RULE = action("search_tuning:manage")


@routes.get(
    "/api/v1/admin/search/control-queries",
    "search.read_control_queries",
    _RULE,
    "As buscas de controle",
)
async def get_control_queries(call: Call) -> Response[ControlQueries]:
    """Devolve as buscas de controle, cada uma com os serviços que deve achar. Antes da troca de tabelas, uma migração
    de esquema faz essas buscas nas duas tabelas e mostra o que muda nos resultados.
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
    """Substitui a lista inteira; buscas repetidas são removidas. Sem `expected`, as buscas que continuam na lista
    mantêm os seus serviços certos. Com `If-Match`, só substitui se a lista não mudou desde que foi lida (senão, 412).
    """
    return respond_with_tag(await service.replace_control_queries(call, body))


@routes.get(
    "/api/v1/admin/search/control-queries/evaluation",
    "search.evaluate_control_queries",
    _RULE,
    "Mede as buscas de controle",
)
async def get_evaluation(call: Call) -> Response[ControlEvaluation]:
    """Faz todas as buscas de controle como um cidadão as faria, sem contá-las, e devolve o que cada uma acha, a posição
    do serviço certo, por que ele não vem primeiro, e as medidas de todas juntas. Se a busca está ocupada demais, a
    resposta é 503.
    """
    return respond_to_staff(await service.evaluate(call))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.control_queries",)))
