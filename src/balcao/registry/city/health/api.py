"""Route for the registry's health check, as the specification defines it."""

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
    """Consulta o banco de dados e o cache, por no máximo dois segundos, e devolve o estado de cada um. Operação
    pública; 503 se o banco de dados não responde.
    """
    return await service.check_health(call.platform)


FEATURE = Feature(routes=routes.declared)
