"""Routes of the units as people look for them."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, with_etag
from balcao.health_units.directory import service
from balcao.health_units.directory.schemas import Unit, Units, UnitsQuery
from balcao.health_units.operations import CACHE, RATES, READ, CnesInPath, in_query

UnitsInQuery: TypeAlias = Annotated[UnitsQuery, in_query(UnitsQuery)]

routes = Routes(tags=["unidades"], dialect=DETAIL)


@routes.get(
    "/unidade/{cnes}",
    "health_units.read_unit",
    READ,
    "Uma unidade de saúde, com o risco e se está aberta",
    description=(
        "Devolve o registro da unidade, o risco em vigor com o que ele muda no atendimento, e se ela está aberta "
        "agora, contados feriados e exceções. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`. "
        "Quando o risco não pôde ser confirmado há pouco, a resposta é 503."
    ),
    errors=[304, 404, 422],
    **RATES,
)
def read_unit(call: Call, cnes: CnesInPath) -> Response[Unit]:
    """Return a unit from memory."""
    return with_etag(service.read_unit(call, cnes), call, CACHE)


@routes.get(
    "/unidades",
    "health_units.list_units",
    READ,
    "Procura unidades de saúde",
    description=(
        "Lista as unidades por nome, página por página, só as ativas se nada for dito. Toda pessoa com token lê; uma "
        "máquina precisa do escopo `sms:read`. Quando o risco não pôde ser confirmado há pouco, a resposta é 503."
    ),
    errors=[304, 422],
    **RATES,
)
def list_units(call: Call, query: UnitsInQuery) -> Response[Units]:
    """List units from memory."""
    return with_etag(service.list_units(call, query), call, CACHE)
