"""The route that counts notifications."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import Response, with_etag
from balcao.health_units.counts import service
from balcao.health_units.counts.schemas import Counts, CountsQuery
from balcao.health_units.operations import CACHE, READ
from balcao.health_units.routes import ROUTES

CountsInQuery: TypeAlias = Annotated[CountsQuery, in_query(CountsQuery)]

routes = ROUTES.extend(tags=["risco"])


@routes.get(
    "/notificacoes/contagens",
    "health_units.count_notifications",
    READ,
    "Quantas notificações de risco houve, por mês ou trimestre",
    errors=[304],
    may_lag=True,
)
async def count_notifications(call: Call, query: CountsInQuery) -> Response[Counts]:
    """Conta as notificações pela data de abertura, na cidade inteira, por área ou por unidade, e pela cor mais alta que
    cada uma teve. As encerradas por engano não contam. Os períodos são sempre inteiros, em um intervalo de no máximo
    cinco anos. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.count_notifications(call, query), call, CACHE)


FEATURE = Feature(routes=routes.declared)
