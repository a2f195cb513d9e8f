"""Route of the sources."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.health_units.intake import service
from balcao.health_units.intake.schemas import RiskSources
from balcao.health_units.operations import RATES

routes = Routes(tags=["risco"], dialect=DETAIL)


@routes.get(
    "/fontes",
    "health_units.list_sources",
    action("risk_notification:read"),
    "Fontes de notificações e o seu sinal de vida",
    description=(
        "Lista os sistemas da secretaria que são lidos a cada minuto: quando cada um respondeu pela última vez, quando "
        "trouxe algo novo e o que deu errado. Exige a ação `risk_notification:read`."
    ),
    **RATES,
)
async def list_sources(call: Call) -> RiskSources:
    """List the sources."""
    return await service.list_sources(call)
