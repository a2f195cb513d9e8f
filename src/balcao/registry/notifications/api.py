"""Routes of the notification preferences."""

from litestar import Response

from balcao.core.answers import personal
from balcao.core.operations import CurrentCall, operation
from balcao.core.rules import own
from balcao.registry.notifications import service
from balcao.registry.notifications.schemas import Preferences
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/citizen/{cpf:str}/notification-preferences",
    "registry.read_preferences",
    own("preferences:read"),
    "Preferências de notificação do cidadão",
    errors=[304, 400],
)
async def read_preferences(call: CurrentCall, cpf: CpfInPath) -> Response[Preferences]:
    return personal(await service.read_preferences(call, path_cpf(cpf)), call)


ROUTES = [read_preferences]
