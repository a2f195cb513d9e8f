"""Routes of the behaviours and attitudes in a resume."""

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import FORM_BODY, Routes
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import PERSONAL, Response, personal, to_json
from balcao.employability.paths import IntegerInPath
from balcao.employability.resume.behaviours import service
from balcao.employability.resume.behaviours.schemas import BehaviourLink, BehaviourLinkBody, BehaviourLinks
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/curriculo/comportamentos-atitudes"

routes = Routes(tags=["resume"], body_limit=FORM_BODY)


@routes.get(
    BASE,
    "employability.list_behaviour_links",
    authenticated(),
    "Comportamentos e atitudes do próprio currículo",
    description=(
        "Devolve as ligações entre o currículo de quem chama e o catálogo de comportamentos, a mais nova primeiro. O "
        "token precisa identificar uma pessoa."
    ),
    errors=[304],
)
async def list_behaviour_links(call: Call, person: CallersCpf) -> Response[BehaviourLinks]:
    """Return the behaviours that the caller claims."""
    owner = call.as_owner()
    return personal(await service.read_links(owner, person), owner)


@routes.post(
    BASE,
    "employability.add_behaviour_link",
    authenticated(),
    "Acrescenta um comportamento ou atitude ao próprio currículo",
    description=(
        "Liga o currículo de quem chama a um item do catálogo e devolve a ligação: 201 se é nova, 200 se já havia. Um "
        "currículo tem no máximo 50 ligações (409)."
    ),
    example={"id_comportamento_atitudes": 4},
    status=201,
    same_body=[200],
    errors=[400, 409],
    rate="60/minute",
)
async def add_behaviour_link(call: Call, person: CallersCpf, body: BehaviourLinkBody) -> Response[BehaviourLink]:
    """Add a behaviour to the caller's own resume, once."""
    link, is_new = await service.add_link(call.as_owner(), person, body.id_comportamento_atitudes)
    return to_json(link, status=201 if is_new else 200, headers={"Cache-Control": PERSONAL})


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.remove_behaviour_link",
    authenticated(),
    "Retira um comportamento ou atitude do próprio currículo",
    description=(
        "Desfaz a ligação entre o currículo de quem chama e um comportamento do catálogo, que continua no catálogo. O "
        "`id` é o da ligação. O token precisa identificar uma pessoa; a ligação de outra pessoa não existe (404)."
    ),
    errors=[400, 404],
    rate="60/minute",
)
async def remove_behaviour_link(call: Call, person: CallersCpf, id: IntegerInPath) -> Message:
    """Remove a behaviour from the caller's own resume."""
    return await service.remove_link(call.as_owner(), person, id)
