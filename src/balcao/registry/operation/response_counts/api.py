"""Routes of the response counts."""

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
    """Devolve, de cinco em cinco minutos, quantas chamadas cada serviço respondeu em todos os processos, quantas
    recusou, em quantas falhou e em quanto tempo: os últimos segundos ainda faltam. Exige a ação `operation:read`.
    """
    return await service.read_response_counts(call, query)


FEATURE = Feature(routes=routes.declared)
