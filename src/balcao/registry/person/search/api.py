"""Routes for finding a citizen at the counter."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.responses import Response, stored
from balcao.registry.person.search import service
from balcao.registry.person.search.schemas import FoundCitizens, IdentifiedCitizen, IdentifyBody, SearchBody
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["citizen"], body_limit=SMALL_BODY)

SEARCH = action("citizen:search")
# One search a minute is enough for each caller, because a counter serves one person every few minutes.
RATE = "60/hour"


@routes.post(
    "/admin/citizens/search",
    "registry.search_citizens",
    SEARCH,
    "Encontra, no balcão, um cidadão que não traz o CPF",
    example={"name": "Carla Nogueira", "birth_date": "1972-02-20"},
    concerns_people=True,
    rate=RATE,
)
async def search_citizens(call: Call, body: SearchBody) -> Response[FoundCitizens]:
    """Procura por nome e nascimento, por protocolo ou por telefone. Cada palavra do nome, o protocolo e o telefone
    devem vir inteiros. Devolve no máximo cinco pessoas, com o CPF mascarado. Se há mais, não devolve nenhuma (400
    `search-too-broad`). Exige a ação `citizen:search` e sempre o motivo em `X-Access-Reason`. Cada pesquisa é
    registrada na trilha de auditoria e, para cada pessoa encontrada, em "quem viu os meus dados".
    """
    return stored(await service.search_citizens(call, body))


@routes.post(
    "/admin/citizens/identify",
    "registry.identify_citizen",
    SEARCH,
    "O CPF de uma pessoa que a pesquisa encontrou",
    errors=[404],
    concerns_people=True,
    rate=RATE,
)
async def identify_citizen(call: Call, body: IdentifyBody) -> Response[IdentifiedCitizen]:
    """Devolve o CPF da pessoa escolhida entre as que o mesmo autor encontrou há até 15 minutos. Exige a ação
    `citizen:search` e o motivo em `X-Access-Reason`. Só esta pessoa, e não as outras encontradas, é registrada como
    identificada.
    """
    return stored(await service.identify_citizen(call, body.handle))


FEATURE = Feature(routes=routes.declared)
