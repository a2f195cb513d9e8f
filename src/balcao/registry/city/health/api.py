"""The registry's health check, as the specification defines it."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import PLATFORM_TAG
from balcao.registry.city.health import service
from balcao.registry.city.health.schemas import HealthCheck
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=list(PLATFORM_TAG))


@routes.get(
    "/health",
    "registry.read_health",
    public(),
    "Estado do serviço e do que ele precisa",
)
async def get_health(call: Call) -> HealthCheck:
    """Pergunta ao banco de dados e ao cache, por no máximo dois segundos, e devolve o estado dos dois. Operação
    pública; 503 quando o banco não responde.
    """
    return await service.check_health(call.platform)


FEATURE = Feature(routes=routes.declared)
