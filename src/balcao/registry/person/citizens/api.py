"""Routes of the citizen record."""

from litestar import Response

from balcao.core.access.rules import client, own, scope
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import personal
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.citizens import service
from balcao.registry.person.citizens.schemas import Citizen


@operation(
    "GET",
    "/citizen/{cpf:str}",
    "registry.read_citizen",
    own("citizen:read") | scope("rmi:pessoa-fisica:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Cadastro do cidadão, com o que ele declarou",
    errors=[304, 400, 404],
    tags=["citizen"],
)
async def read_citizen(call: CurrentCall, cpf: CpfInPath) -> Response[Citizen]:
    return personal(await service.read_citizen(call, path_cpf(cpf)), call)


ROUTES = [read_citizen]
