"""Route for the response counts."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import Query
from balcao.registry.operation.response_counts import service
from balcao.registry.operation.response_counts.schemas import ResponseCountQuery, ResponseCounts
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/response-counts",
    "registry.read_response_counts",
    action("operation:read"),
    "Chamadas, recusas e falhas das últimas horas",
    query=ResponseCountQuery,
)
async def get_response_counts(call: Call, query: Query) -> ResponseCounts:
    """Devolve, para cada serviço e para cada período de cinco minutos, quantas chamadas foram respondidas por todos os
    processos, quantas foram recusadas, quantas falharam e quanto tempo levaram. Os últimos segundos ainda não estão
    incluídos. Exige a ação `operation:read`.
    """
    return await service.read_response_counts(call, query)


FEATURE = Feature(routes=routes.declared)
