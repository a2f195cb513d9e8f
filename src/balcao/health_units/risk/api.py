"""Routes for the risk of units."""

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
    """Diz se a unidade funciona normalmente ou se o entorno é inseguro, com a notificação ativa e a mais recente.
    Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`. Se o risco não foi confirmado há
    pouco, a resposta é 503, nunca um valor velho. Guarde a resposta por no máximo 30 segundos e revalide-a com o
    `ETag`.
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
    """Devolve o risco das unidades pedidas, em ordem de CNES, e em `desconhecidas` os códigos que não são de nenhuma
    unidade. Sem `cnes`, devolve o risco de todas as unidades ativas. Qualquer pessoa com token pode ler; uma máquina
    precisa do escopo `sms:read`. Revalide a resposta com o `ETag`. Para acompanhar as mudanças, abra
    `/unidades/eventos` a partir da `sequencia`.
    """
    return from_ready(service.read_risks(call, query.cnes), call, CACHE)


FEATURE = Feature(routes=routes.declared)
