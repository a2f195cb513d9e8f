"""The route through which a client reads its own calls."""

from typing import Annotated, TypeAlias

from balcao.access.calls import service
from balcao.access.calls.schemas import OwnCalls, OwnCallsQuery
from balcao.access.routes import ROUTES
from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query

OwnCallsInQuery: TypeAlias = Annotated[OwnCallsQuery, in_query(OwnCallsQuery)]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/clients/me/calls",
    "access.list_own_calls",
    authenticated(),
    "As últimas chamadas do meu cliente, e por que foram recusadas",
    rate="120/minute",
)
async def get_own_calls(call: Call, query: OwnCallsInQuery) -> OwnCalls:
    """Devolve as chamadas recentes feitas com tokens do cliente de quem chama, também as de pessoas que entraram por
    ele: as últimas mil, de até uma semana. Cada uma traz a operação, o status e, se foi recusada, o código e o que
    fazer. Nada do que foi enviado ou respondido aparece. Só o próprio cliente pode lê-las, com um token de
    `client_credentials`. Uma chamada aparece em poucos segundos.
    """
    return await service.list_own_calls(call, query)


FEATURE = Feature(routes=routes.declared)
