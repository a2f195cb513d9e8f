"""Routes for a resume's links. Both kinds of links have the same three routes."""

from typing import Any

from balcao.core.access.rules import authenticated
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CallersCpf
from balcao.core.http.responses import PERSONAL, Response, personal, to_json
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.paths import IntegerInPath
from balcao.employability.resume.links import service
from balcao.employability.resume.links.kinds import BEHAVIOUR_LINKING, LINK_KINDS, MAX_LINKS, SKILL_LINKING, Linking
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

routes = ROUTES.extend(tags=["resume"], body_limit=FORM_BODY)


def declare_resume_links(
    linking: Linking, key: str, many: str, entry: str, *, example: Any, listed: str, added: str
) -> None:
    """Declare the operations on one kind of link. `listed` and `added` are the descriptions of two operations."""
    kind = linking.kind
    record, body_type, list_type = kind.record, kind.body, kind.listed
    base = f"/api/v1/empregabilidade/curriculo/{kind.path}"

    @routes.get(
        base,
        f"employability.list_{key}_links",
        authenticated(),
        f"{many} do próprio currículo",
        description=listed,
        errors=[304],
    )
    async def list_links(call: Call, person: CallersCpf) -> Response[list_type]:  # type: ignore[valid-type]
        owner = call.as_owner()
        links = await service.read_links(owner, kind, person)
        return personal(list_type(links, ListMeta.of(Page(1, MAX_LINKS), len(links))), owner)

    @routes.post(
        base,
        f"employability.add_{key}_link",
        authenticated(),
        f"Acrescenta {kind.one} ao próprio currículo",
        description=added,
        example=example,
        status=201,
        same_body=[200],
        errors=[409],
        rate="60/minute",
    )
    async def add_link(call: Call, person: CallersCpf, body: body_type) -> Response[record]:  # type: ignore[valid-type]
        link, is_new = await service.add_link(call.as_owner(), linking, person, body)
        return to_json(link, status=201 if is_new else 200, headers={"Cache-Control": PERSONAL})

    @routes.delete(
        f"{base}/{{id}}",
        f"employability.remove_{key}_link",
        authenticated(),
        f"Retira {kind.one} do próprio currículo",
        description=(
            f"Desfaz a ligação entre o currículo de quem chama e {entry} do catálogo, que continua no catálogo. O `id` "
            "é o da ligação. O token precisa identificar uma pessoa; a ligação de outra pessoa não existe (404)."
        ),
        errors=[400],
        rate="60/minute",
    )
    async def remove_link(call: Call, person: CallersCpf, id: IntegerInPath) -> Message:
        return await service.remove_link(call.as_owner(), kind, person, id)


declare_resume_links(
    BEHAVIOUR_LINKING,
    "behaviour",
    "Comportamentos e atitudes",
    "um comportamento",
    example={"id_comportamento_atitudes": 4},
    listed=(
        "Devolve as ligações entre o currículo de quem chama e o catálogo de comportamentos, a mais nova primeiro. O "
        "token precisa identificar uma pessoa."
    ),
    added=(
        "Liga o currículo de quem chama a um item do catálogo e devolve a ligação: 201 se é nova, 200 se já havia. Um "
        "currículo tem no máximo 50 ligações (409)."
    ),
)
declare_resume_links(
    SKILL_LINKING,
    "skill",
    "Habilidades",
    "uma habilidade",
    example={"id_habilidade": 37},
    listed=(
        "Devolve as habilidades do currículo de quem chama, cada uma na sua área de atuação, a mais nova primeiro. O "
        "token precisa identificar uma pessoa."
    ),
    added=(
        "Liga o currículo de quem chama a uma habilidade do catálogo e devolve a ligação: 201 se é nova, 200 se já "
        "havia. Sem `id_area_atuacao` vale a primeira área da habilidade. Um currículo tem no máximo 50 (409)."
    ),
)

_TABLES = tuple(kind.table for kind in LINK_KINDS)
FEATURE = Feature(
    routes=routes.declared,
    personal_data=PersonalData("resume_links", tables=_TABLES),
    exports=Exports(tables=_TABLES),
)
