"""Route of the counts."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, with_etag
from balcao.health_units.counts import service
from balcao.health_units.counts.schemas import Counts, CountsQuery
from balcao.health_units.operations import CACHE, RATES, READ, in_query

CountsInQuery: TypeAlias = Annotated[CountsQuery, in_query(CountsQuery)]

routes = Routes(tags=["risco"], dialect=DETAIL)


@routes.get(
    "/notificacoes/contagens",
    "health_units.count_notifications",
    READ,
    "Quantas notificações de risco houve, por mês ou trimestre",
    description=(
        "Conta as notificações pela data em que foram abertas, na cidade inteira, por área ou por unidade, e pela cor "
        "mais alta que cada uma teve; as encerradas por engano não contam. Os períodos são sempre inteiros, no máximo "
        "cinco anos deles. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`."
    ),
    errors=[304, 422],
    **RATES,
    may_lag=True,
)
async def count_notifications(call: Call, query: CountsInQuery) -> Response[Counts]:
    """Count notifications."""
    return with_etag(await service.count_notifications(call, query), call, CACHE)
