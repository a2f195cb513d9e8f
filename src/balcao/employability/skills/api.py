"""Routes for behaviours, skills and work areas. The three catalogues have the same routes."""

from collections.abc import Mapping
from typing import Annotated

from balcao.core.access.rules import action, authenticated, public
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InQuery, Query
from balcao.core.http.responses import Response, created, stored, with_etag
from balcao.core.values.ids import parse_int64
from balcao.core.values.page import Page
from balcao.employability.lists import parse_list_page, read_text
from balcao.employability.paths import integer_in_path
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message
from balcao.employability.skills import service, store
from balcao.employability.skills.imports import IMPORTS
from balcao.employability.skills.kinds import NOUNS, Catalogue
from balcao.employability.skills.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    CatalogueEntries,
    CatalogueEntry,
    CatalogueQuery,
    NameBody,
    SkillAreas,
    SkillAreasBody,
    SkillQuery,
)

BASE = "/api/v1/empregabilidade"
PUBLIC_BASE = "/api/public/empregabilidade"
# Any caller with a token may read an entry. A browser may cache the response, but must revalidate it before each use.
REVALIDATED = "private, no-cache"
LISTED = "public, max-age=600"
RATE = "60/minute"
MANAGE = action("skill:manage")

routes = ROUTES.extend(tags=["skills"], body_limit=FORM_BODY)


def parse_area(query: Mapping[str, str]) -> int | None:
    """Parse the work area filter, or return None if it is absent or blank. Raises Invalid if it is malformed."""
    text = query.get("id_area_atuacao", "").strip()
    found = parse_int64(text)
    if text and found is None:
        raise Invalid("O parâmetro `id_area_atuacao` deve ser um número inteiro.", code="id_area_atuacao-invalid")
    return found


CataloguePage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), CatalogueQuery)
]
SkillPage = Annotated[Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), SkillQuery)]


def declare_list(path: str, key: str, catalogue: Catalogue) -> None:
    """Declare an operation that lists behaviours or work areas."""
    many = NOUNS[catalogue].many

    @routes.get(
        path,
        key,
        public(),
        f"Lista {many}",
        description=(
            f"Devolve {many} por nome; `q` procura em qualquer parte do nome, sem distinguir maiúsculas e acentos. Não "
            "pede token; a resposta vale por dez minutos e o `ETag` permite revalidá-la."
        ),
        errors=[304, 400],
        may_lag=True,
    )
    async def list_entries(call: Call, page: CataloguePage, query: Query) -> Response[CatalogueEntries]:
        found = await service.list_entries(call, catalogue, page, read_text(query, "q"))
        return with_etag(found, call, LISTED)


def declare_skill_list(path: str, key: str) -> None:
    """Declare an operation that lists skills, optionally of one work area."""

    @routes.get(
        path,
        key,
        public(),
        "Lista habilidades",
        errors=[304, 400],
        may_lag=True,
    )
    async def list_skills(call: Call, page: SkillPage, query: Query) -> Response[CatalogueEntries]:
        """Devolve habilidades em ordem de nome, cada uma com as suas áreas de atuação. `q` procura em qualquer parte do
        nome, e `id_area_atuacao` filtra por área. Não pede token. A resposta vale por dez minutos.
        """
        found = await service.list_entries(call, Catalogue.SKILL, page, read_text(query, "q"), area=parse_area(query))
        return with_etag(found, call, LISTED)


def declare_catalogue(catalogue: Catalogue) -> None:
    """Declare the operations that create, read, rename and delete the entries of one catalogue."""
    noun, base = NOUNS[catalogue], f"{BASE}/{catalogue}"
    entry_id = Annotated[int, integer_in_path(noun.example)]

    @routes.post(
        base,
        f"employability.create_{noun.key}",
        MANAGE,
        f"Cadastra {noun.one}",
        example={"nome": "Um nome novo"},
        status=201,
        errors=[400, 409],
        rate=RATE,
    )
    async def create_entry(call: Call, body: NameBody) -> Response[CatalogueEntry]:
        """Acrescenta um item ao catálogo e o devolve. Exige a ação `skill:manage`. Se outro item já tem o nome, sem
        distinguir maiúsculas nem acentos, a resposta é 409.
        """
        return created(await service.create_entry(call, catalogue, body))

    @routes.get(
        f"{base}/{{id}}",
        f"employability.read_{noun.key}",
        authenticated(),
        f"Consulta {noun.one}",
        errors=[304, 400, 404],
    )
    async def read_entry(call: Call, id: entry_id) -> Response[CatalogueEntry]:
        """Devolve um item do catálogo. Basta um token válido; o `ETag` permite revalidar a resposta."""
        return with_etag(await service.read_entry(call, catalogue, id), call, REVALIDATED)

    @routes.put(
        f"{base}/{{id}}",
        f"employability.rename_{noun.key}",
        MANAGE,
        f"Altera {noun.one}",
        example={"nome": "Outro nome"},
        errors=[400, 404, 409, 412],
        rate=RATE,
    )
    async def rename_entry(call: Call, id: entry_id, body: NameBody) -> Response[CatalogueEntry]:
        """Troca o nome de um item e devolve o que foi gravado. Exige a ação `skill:manage`. Se outro item já tem o
        nome, a resposta é 409. Com `If-Match`, a mudança só é feita se o item não mudou desde que foi lido.
        """
        return stored(await service.rename_entry(call, catalogue, id, body))

    @routes.delete(
        f"{base}/{{id}}",
        f"employability.delete_{noun.key}",
        MANAGE,
        f"Exclui {noun.one}",
        errors=[400, 404, 409, 412],
        rate=RATE,
    )
    async def delete_entry(call: Call, id: entry_id) -> Message:
        """Exclui um item do catálogo. Exige a ação `skill:manage`. Se um currículo usa o item, ou se há ligação entre
        uma habilidade e uma área, a resposta é 409.
        """
        return await service.delete_entry(call, catalogue, id)


declare_list(f"{BASE}/{Catalogue.BEHAVIOUR}", "employability.list_behaviours", Catalogue.BEHAVIOUR)
declare_list(f"{BASE}/{Catalogue.WORK_AREA}", "employability.list_work_areas", Catalogue.WORK_AREA)
declare_list(f"{PUBLIC_BASE}/areas-atuacao", "employability.list_public_work_areas", Catalogue.WORK_AREA)
declare_skill_list(f"{BASE}/{Catalogue.SKILL}", "employability.list_skills")
declare_skill_list(f"{PUBLIC_BASE}/habilidades", "employability.list_public_skills")
for each in Catalogue:
    declare_catalogue(each)


SkillId = Annotated[int, integer_in_path(NOUNS[Catalogue.SKILL].example)]


@routes.put(
    f"{BASE}/habilidades/{{id}}/areas-atuacao",
    "employability.replace_skill_areas",
    MANAGE,
    "Define as áreas de uma habilidade",
    errors=[409, 412],
    rate=RATE,
)
async def put_skill_areas(call: Call, id: SkillId, body: SkillAreasBody) -> SkillAreas:
    """Substitui as áreas de atuação de uma habilidade e as devolve. As áreas que continuam mantêm o seu
    `id_area_atuacao_habilidade`. Se um currículo usa uma área retirada, a resposta é 409.
    """
    return await service.replace_skill_areas(call, id, body)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
