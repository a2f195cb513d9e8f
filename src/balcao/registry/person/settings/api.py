"""Routes for a citizen's settings."""

from balcao.core.access.rules import own
from balcao.core.audit.personal_data import PersonalData, retain_rows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, personal, stored
from balcao.registry.person.settings import service, store
from balcao.registry.person.settings.schemas import FirstLogin, OptIn, OptInBody
from balcao.registry.routes import ROUTES

TAGS = ["settings"]


routes = ROUTES.extend(tags=TAGS, body_limit=SMALL_BODY)


@routes.get(
    "/citizen/{cpf}/firstlogin",
    "registry.read_firstlogin",
    own("citizen:read"),
    "Se o cidadão ainda não entrou pela primeira vez",
    errors=[304, 400],
)
async def get_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    """Devolve se o cidadão ainda não concluiu o primeiro acesso ao portal. Sem registro, a resposta é verdadeira."""
    return personal(await service.read_first_login(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/firstlogin",
    "registry.end_firstlogin",
    own("citizen:write"),
    "Registra que o primeiro acesso terminou",
    errors=[400],
)
async def end_first_login(call: Call, cpf: CpfInPath) -> Response[FirstLogin]:
    """Registra que o primeiro acesso terminou. A chamada não tem corpo, e repeti-la não muda nada."""
    return stored(await service.end_first_login(call, cpf))


@routes.get(
    "/citizen/{cpf}/optin",
    "registry.read_optin",
    own("preferences:read"),
    "As escolhas de notificação do cidadão, em forma curta",
    errors=[304, 400],
)
async def get_opt_in(call: Call, cpf: CpfInPath) -> Response[OptIn]:
    """Devolve a escolha geral e a de cada categoria, com os mesmos valores das preferências de notificação, mas sem a
    data da última mudança.
    """
    return personal(await service.read_opt_in(call, cpf), call)


@routes.put(
    "/citizen/{cpf}/optin",
    "registry.change_optin",
    own("preferences:write"),
    "Altera as escolhas de notificação do cidadão",
    errors=[412, 422],
    example={"opt_in": True, "category_opt_ins": {"courses": True}},
)
async def put_opt_in(call: Call, cpf: CpfInPath, body: OptInBody) -> Response[OptIn]:
    """Altera as preferências de notificação, com o canal `web` e registro no histórico, e devolve as preferências em
    vigor. Uma categoria desconhecida ou inativa é recusada (422). Com `If-Match`, a resposta é 412 se as preferências
    mudaram desde a leitura.
    """
    return stored(await service.change_opt_in(call, cpf, body))


BASIS = "Funcionamento do portal: só indica se houve um primeiro acesso."

FEATURE = Feature(
    routes=routes.declared,
    personal_data=PersonalData(
        "settings", retain=retain_rows("settings", store.count_settings, BASIS), tables=["registry.settings"]
    ),
    exports=Exports(tables=("registry.settings",)),
)
