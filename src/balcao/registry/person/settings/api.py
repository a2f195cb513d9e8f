"""Routes of a citizen's settings."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import personal, stored
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.settings import service
from balcao.registry.person.settings.schemas import FirstLogin, OptIn, OptInBody

TAGS = ["settings"]


@operation(
    "GET",
    "/citizen/{cpf:str}/firstlogin",
    "registry.read_firstlogin",
    own("citizen:read"),
    "Se o cidadão ainda não entrou pela primeira vez",
    errors=[304, 400],
    tags=TAGS,
)
async def read_first_login(call: CurrentCall, cpf: CpfInPath) -> Response[FirstLogin]:
    return personal(await service.read_first_login(call, path_cpf(cpf)), call)


@operation(
    "PUT",
    "/citizen/{cpf:str}/firstlogin",
    "registry.end_firstlogin",
    own("citizen:write"),
    "Registra que o primeiro acesso terminou",
    errors=[400],
    tags=TAGS,
)
async def end_first_login(call: CurrentCall, cpf: CpfInPath) -> Response[FirstLogin]:
    return stored(await service.end_first_login(call, path_cpf(cpf)))


@operation(
    "GET",
    "/citizen/{cpf:str}/optin",
    "registry.read_optin",
    own("preferences:read"),
    "As escolhas de notificação do cidadão, em forma curta",
    errors=[304, 400],
    tags=TAGS,
)
async def read_opt_in(call: CurrentCall, cpf: CpfInPath) -> Response[OptIn]:
    return personal(await service.read_opt_in(call, path_cpf(cpf)), call)


@operation(
    "PUT",
    "/citizen/{cpf:str}/optin",
    "registry.change_optin",
    own("preferences:write"),
    "Altera as escolhas de notificação do cidadão",
    errors=[400, 412, 422],
    body=OptInBody,
    tags=TAGS,
)
async def change_opt_in(call: CurrentCall, cpf: CpfInPath, data: JSONBody[OptInBody]) -> Response[OptIn]:
    return stored(await service.change_opt_in(call, path_cpf(cpf), data))


ROUTES = [read_first_login, end_first_login, read_opt_in, change_opt_in]
