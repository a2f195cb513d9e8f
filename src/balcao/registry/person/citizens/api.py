"""Routes of the citizen record."""

from balcao.core.access.rules import client, own, scope
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, personal
from balcao.registry.paths import CpfInPath
from balcao.registry.person.citizens import service
from balcao.registry.person.citizens.schemas import Citizen

routes = Routes(tags=["citizen"])


@routes.get(
    "/citizen/{cpf}",
    "registry.read_citizen",
    own("citizen:read") | scope("rmi:pessoa-fisica:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Cadastro do cidadão, com o que ele declarou",
    errors=[304, 400, 404],
)
async def read_citizen(call: Call, cpf: CpfInPath) -> Response[Citizen]:
    return personal(await service.read_citizen(call, cpf), call)
