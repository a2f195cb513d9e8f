"""The registry's health check, as the specification has it."""

from balcao.core.access.rules import public
from balcao.core.http.operations import CurrentCall, operation
from balcao.registry.city.health import service
from balcao.registry.city.health.schemas import Health


@operation("GET", "/health", "registry.read_health", public(), "Estado do serviço e do que ele precisa")
async def read_health(call: CurrentCall) -> Health:
    return await service.check(call.platform)


ROUTES = [read_health]
