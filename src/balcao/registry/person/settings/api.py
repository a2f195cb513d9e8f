"""Routes of a citizen's settings."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, personal, stored
from balcao.registry.paths import CpfInPath
from balcao.registry.person.settings import service
from balcao.registry.person.settings.schemas import FirstLogin, OptIn, OptInBody

TAGS = ["settings"]


routes = Routes(tags=TAGS)


@routes.get(
    "/citizen/{cpf}/firstlogin",
    "registry.read_firstlogin",
    own("citizen:read"),
    "Se o cidadão ainda não entrou pela primeira vez",
    errors=[304, 400],
)
async def read_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    return personal(await service.read_first_login(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/firstlogin",
    "registry.end_firstlogin",
    own("citizen:write"),
    "Registra que o primeiro acesso terminou",
    errors=[400],
)
async def end_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    return stored(await service.end_first_login(call, cpf))


@routes.get(
    "/citizen/{cpf}/optin",
    "registry.read_optin",
    own("preferences:read"),
    "As escolhas de notificação do cidadão, em forma curta",
    errors=[304, 400],
)
async def read_opt_in(call: Call, cpf: CpfInPath) -> Response[OptIn]:
    return personal(await service.read_opt_in(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/optin",
    "registry.change_optin",
    own("preferences:write"),
    "Altera as escolhas de notificação do cidadão",
    errors=[400, 412, 422],
)
async def change_opt_in(call: Call, cpf: CpfInPath, body: OptInBody) -> Response[OptIn]:
    return stored(await service.change_opt_in(call, cpf, body))
