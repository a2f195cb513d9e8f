"""Routes of the skills in a resume."""

from balcao.core.access.rules import authenticated
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import PERSONAL, Response, personal, to_json
from balcao.employability.paths import IntegerInPath
from balcao.employability.resume.skill_links import service
from balcao.employability.resume.skill_links.schemas import SkillLink, SkillLinkBody, SkillLinks
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/curriculo/habilidades"

routes = ROUTES.extend(tags=["resume"], body_limit=FORM_BODY)


@routes.get(
    BASE,
    "employability.list_skill_links",
    authenticated(),
    "Habilidades do próprio currículo",
    errors=[304],
)
async def list_skill_links(call: Call, person: CallersCpf) -> Response[SkillLinks]:
    """Devolve as habilidades do currículo de quem chama, cada uma na sua área de atuação, a mais nova primeiro. O token
    precisa identificar uma pessoa.
    """
    owner = call.as_owner()
    return personal(await service.read_links(owner, person), owner)


@routes.post(
    BASE,
    "employability.add_skill_link",
    authenticated(),
    "Acrescenta uma habilidade ao próprio currículo",
    status=201,
    same_body=[200],
    errors=[409],
    rate="60/minute",
)
async def add_skill_link(call: Call, person: CallersCpf, body: SkillLinkBody) -> Response[SkillLink]:
    """Liga o currículo de quem chama a uma habilidade do catálogo e devolve a ligação: 201 se é nova, 200 se já havia.
    Sem `id_area_atuacao` vale a primeira área da habilidade. Um currículo tem no máximo 50 (409).
    """
    link, is_new = await service.add_link(call.as_owner(), person, body)
    return to_json(link, status=201 if is_new else 200, headers={"Cache-Control": PERSONAL})


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.remove_skill_link",
    authenticated(),
    "Retira uma habilidade do próprio currículo",
    errors=[400],
    rate="60/minute",
)
async def remove_skill_link(call: Call, person: CallersCpf, id: IntegerInPath) -> Message:
    """Desfaz a ligação entre o currículo de quem chama e uma habilidade do catálogo, que continua no catálogo. O `id` é
    o da ligação. O token precisa identificar uma pessoa; a ligação de outra pessoa não existe (404).
    """
    return await service.remove_link(call.as_owner(), person, id)


FEATURE = Feature(
    routes=routes.declared,
    personal_data=PersonalData("resume_skills", tables=("employability.skill_link",)),
    exports=Exports(tables=("employability.skill_link",)),
)
