"""Routes of a citizen's settings."""

from balcao.core.access.rules import own
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal, stored
from balcao.registry.person.settings import service
from balcao.registry.person.settings.schemas import FirstLogin, OptIn, OptInBody

TAGS = ["settings"]


routes = Routes(tags=TAGS, body_limit=SMALL_BODY)


@routes.get(
    "/citizen/{cpf}/firstlogin",
    "registry.read_firstlogin",
    own("citizen:read"),
    "Se o cidadão ainda não entrou pela primeira vez",
    errors=[304, 400],
    description=(
        "Devolve se o cidadão ainda não concluiu o primeiro acesso ao portal. Sem registro, a resposta é verdadeira."
    ),
)
async def read_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    """Return whether the first login is still to end."""
    return personal(await service.read_first_login(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/firstlogin",
    "registry.end_firstlogin",
    own("citizen:write"),
    "Registra que o primeiro acesso terminou",
    errors=[400],
    description="Registra que o primeiro acesso terminou; não leva corpo, e repetir nada muda.",
)
async def end_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    """Record that the first login is over."""
    return stored(await service.end_first_login(call, cpf))


@routes.get(
    "/citizen/{cpf}/optin",
    "registry.read_optin",
    own("preferences:read"),
    "As escolhas de notificação do cidadão, em forma curta",
    errors=[304, 400],
    description=(
        "Devolve a escolha geral e as por categoria: as mesmas das preferências de notificação, sem o horário."
    ),
)
async def read_opt_in(call: Call, cpf: CpfInPath) -> Response[OptIn]:
    """Return the opt-ins in their short form."""
    return personal(await service.read_opt_in(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/optin",
    "registry.change_optin",
    own("preferences:write"),
    "Altera as escolhas de notificação do cidadão",
    errors=[400, 412, 422],
    description=(
        "Altera as preferências de notificação pelo canal `web`, com prova no histórico, e devolve as que passam a "
        "valer. Uma categoria desconhecida ou inativa é recusada (422); com `If-Match`, só vale sobre o estado lido "
        "(412)."
    ),
    example={"opt_in": True, "category_opt_ins": {"courses": True}},
)
async def change_opt_in(call: Call, cpf: CpfInPath, body: OptInBody) -> Response[OptIn]:
    """Change the opt-ins and return those that hold now."""
    return stored(await service.change_opt_in(call, cpf, body))
