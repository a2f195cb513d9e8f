"""The registry's health check, as the specification has it."""

from balcao.core.operations import CurrentCall, operation
from balcao.core.rules import public
from balcao.registry.health import service
from balcao.registry.health.schemas import Health


@operation("GET", "/health", "registry.read_health", public(), "Estado do serviço e do que ele precisa")
async def read_health(call: CurrentCall) -> Health:
    return await service.check(call.platform)


ROUTES = [read_health]
