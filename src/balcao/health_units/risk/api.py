"""Routes of a unit's risk."""

from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, from_ready
from balcao.health_units.operations import READ, CnesInPath
from balcao.health_units.risk import service
from balcao.health_units.risk.schemas import UnitRisk

CACHE = "private, max-age=30"


routes = Routes(tags=["risco"], dialect=DETAIL)


@routes.get(
    "/unidade/{cnes}/risco",
    "health_units.read_risk",
    READ,
    "Risco atual de uma unidade de saúde",
    description=(
        "Diz se a unidade funciona normalmente ou se o entorno é inseguro, com a notificação ativa e a mais recente. "
        "Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`. Quando o risco não pôde ser confirmado há"
        " pouco, a resposta é 503, nunca um valor velho; guarde-a no máximo 30 segundos e revalide com o `ETag`."
    ),
    errors=[304, 404, 422],
    rate="50/second",
    machine_rate="500/second",
)
def read_risk(call: Call, cnes: CnesInPath) -> Response[UnitRisk]:
    """Return a unit's risk from memory."""
    return from_ready(service.read_risk(call, cnes), call, CACHE)
