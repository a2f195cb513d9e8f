"""Routes of the units' risk."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import Response, from_ready
from balcao.health_units.operations import CACHE, READ, CnesInPath
from balcao.health_units.risk import service
from balcao.health_units.risk.schemas import RisksQuery, UnitRisk, UnitRisks
from balcao.health_units.routes import ROUTES

RisksInQuery: TypeAlias = Annotated[RisksQuery, in_query(RisksQuery, repeated=("cnes",))]

routes = ROUTES.extend(tags=["risco"], body_limit=SMALL_BODY)


@routes.get(
    "/unidade/{cnes}/risco",
    "health_units.read_risk",
    READ,
    "Risco atual de uma unidade de saúde",
    errors=[304, 422],
)
def get_risk(call: Call, cnes: CnesInPath) -> Response[UnitRisk]:
    """Diz se a unidade funciona normalmente ou se o entorno é inseguro, com a notificação ativa e a mais recente. Toda
    pessoa com token lê; uma máquina precisa do escopo `sms:read`. Quando o risco não pôde ser confirmado há pouco, a
    resposta é 503, nunca um valor velho; guarde-a no máximo 30 segundos e revalide com o `ETag`.
    """
    return from_ready(service.read_risk(call, cnes), call, CACHE)


@routes.get(
    "/unidades/risco",
    "health_units.list_risks",
    READ,
    "Risco atual de várias unidades, ou de todas",
    errors=[304],
)
def get_risks(call: Call, query: RisksInQuery) -> Response[UnitRisks]:
    """Devolve o risco das unidades pedidas, por CNES, e em `desconhecidas` os códigos que não são de nenhuma; sem
    `cnes`, o retrato de todas as unidades ativas. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`.
    Revalide com o `ETag`; para seguir as mudanças, continue da `sequencia` em `/unidades/eventos`.
    """
    return from_ready(service.read_risks(call, query.cnes), call, CACHE)


FEATURE = Feature(routes=routes.declared)
