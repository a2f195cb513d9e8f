"""Routes of the behaviours and attitudes in a resume."""

from balcao.core.access.rules import authenticated
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import PERSONAL, Response, personal, to_json
from balcao.employability.paths import IntegerInPath
from balcao.employability.resume.behaviours import service
from balcao.employability.resume.behaviours.schemas import BehaviourLink, BehaviourLinkBody, BehaviourLinks
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/curriculo/comportamentos-atitudes"

routes = ROUTES.extend(tags=["resume"], body_limit=FORM_BODY)


@routes.get(
    BASE,
    "employability.list_behaviour_links",
    authenticated(),
    "Comportamentos e atitudes do próprio currículo",
    errors=[304],
)
async def list_behaviour_links(call: Call, person: CallersCpf) -> Response[BehaviourLinks]:
    """Devolve as ligações entre o currículo de quem chama e o catálogo de comportamentos, a mais nova primeiro. O token
    precisa identificar uma pessoa.
    """
    owner = call.as_owner()
    return personal(await service.read_links(owner, person), owner)


@routes.post(
    BASE,
    "employability.add_behaviour_link",
    authenticated(),
    "Acrescenta um comportamento ou atitude ao próprio currículo",
    status=201,
    same_body=[200],
    errors=[409],
    rate="60/minute",
)
async def add_behaviour_link(call: Call, person: CallersCpf, body: BehaviourLinkBody) -> Response[BehaviourLink]:
    """Liga o currículo de quem chama a um item do catálogo e devolve a ligação: 201 se é nova, 200 se já havia. Um
    currículo tem no máximo 50 ligações (409).
    """
    link, is_new = await service.add_link(call.as_owner(), person, body.id_comportamento_atitudes)
    return to_json(link, status=201 if is_new else 200, headers={"Cache-Control": PERSONAL})


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.remove_behaviour_link",
    authenticated(),
    "Retira um comportamento ou atitude do próprio currículo",
    errors=[400],
    rate="60/minute",
)
async def remove_behaviour_link(call: Call, person: CallersCpf, id: IntegerInPath) -> Message:
    """Desfaz a ligação entre o currículo de quem chama e um comportamento do catálogo, que continua no catálogo. O `id`
    é o da ligação. O token precisa identificar uma pessoa; a ligação de outra pessoa não existe (404).
    """
    return await service.remove_link(call.as_owner(), person, id)


FEATURE = Feature(
    routes=routes.declared,
    personal_data=PersonalData("resume_behaviours", tables=("employability.behaviour_link",)),
    exports=Exports(tables=("employability.behaviour_link",)),
)
