"""Routes for the reference values. Each of the ten kinds has the same five routes."""

from typing import Annotated
from uuid import UUID

from balcao.core.access.rules import action, authenticated, public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InQuery
from balcao.core.http.responses import Response, created, stored, with_etag
from balcao.core.values.page import Page
from balcao.employability.lists import parse_list_page
from balcao.employability.paths import uuid_in_path
from balcao.employability.reference_values import service, store
from balcao.employability.reference_values.imports import IMPORTS
from balcao.employability.reference_values.kinds import NOUNS, RANKED, Kind, seed_value_id
from balcao.employability.reference_values.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    ReferenceBody,
    ReferenceQuery,
    ReferenceValue,
    ReferenceValues,
)
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade"
# Any caller with a token may read a value. A browser may cache the response, but must revalidate it before each use.
REVALIDATED = "private, no-cache"
# Portals fill their menus with these lists. A list that is ten minutes old does no harm.
LISTED = "public, max-age=600"
RATE = "60/minute"

ReferencePage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), ReferenceQuery)
]

routes = ROUTES.extend(tags=["reference-values"], body_limit=FORM_BODY)


def declare_reference_values(kind: Kind) -> None:
    """Declare the five operations for one kind of value."""
    noun, base, manage = NOUNS[kind], f"{BASE}/{kind}", action("job_reference:manage")
    ranked = " O membro `ordem` dá o lugar de cada um." if kind in RANKED else ""
    place = {"ordem": 11} if kind in RANKED else {}
    value_id = Annotated[UUID, uuid_in_path(seed_value_id(kind, noun.example))]

    @routes.get(
        base,
        f"employability.list_{noun.plural_key}",
        public(),
        f"Lista {noun.many}",
        description=(
            f"Devolve {noun.many}, na ordem da tabela, para quem filtra vagas ou preenche um currículo.{ranked} Não "
            "pede token; a resposta vale por dez minutos e o `ETag` permite revalidá-la."
        ),
        errors=[304],
        may_lag=True,
    )
    async def list_values(call: Call, page: ReferencePage) -> Response[ReferenceValues]:
        return with_etag(await service.list_values(call, kind, page), call, LISTED)

    @routes.post(
        base,
        f"employability.create_{noun.key}",
        manage,
        f"Cadastra {noun.one}",
        example={"descricao": "Outra opção"} | place,
        status=201,
        errors=[400, 409],
        rate=RATE,
    )
    async def create_value(call: Call, body: ReferenceBody) -> Response[ReferenceValue]:
        """Acrescenta um registro à tabela e o devolve. Exige a ação `job_reference:manage`. Se outro registro já tem o
        texto, sem distinguir maiúsculas nem acentos, a resposta é 409.
        """
        return created(await service.create_value(call, kind, body))

    @routes.get(
        f"{base}/{{id}}",
        f"employability.read_{noun.key}",
        authenticated(),
        f"Consulta {noun.one}",
        errors=[304, 400, 404],
    )
    async def read_value(call: Call, id: value_id) -> Response[ReferenceValue]:
        """Devolve um registro da tabela. Basta um token válido. Os valores mudam raramente: guarde a resposta e
        revalide-a com o `ETag`.
        """
        return with_etag(await service.read_value(call, kind, id), call, REVALIDATED)

    @routes.put(
        f"{base}/{{id}}",
        f"employability.replace_{noun.key}",
        manage,
        f"Altera {noun.one}",
        example={"descricao": "Opção alterada"} | place,
        errors=[400, 404, 409, 412],
        rate=RATE,
    )
    async def replace_value(call: Call, id: value_id, body: ReferenceBody) -> Response[ReferenceValue]:
        """Troca o texto de um registro (e, nas tabelas com `ordem`, a posição) e devolve o que foi gravado. Exige a
        ação `job_reference:manage`. Os demais membros do corpo são ignorados. Se outro registro da tabela já tem o
        texto, sem distinguir maiúsculas nem acentos, a resposta é 409. Com `If-Match`, a mudança só é feita se o
        registro não mudou desde que foi lido.
        """
        return stored(await service.replace_value(call, kind, id, body))

    @routes.delete(
        f"{base}/{{id}}",
        f"employability.delete_{noun.key}",
        manage,
        f"Exclui {noun.one}",
        errors=[400, 404, 409, 412],
        rate=RATE,
    )
    async def delete_value(call: Call, id: value_id) -> Message:
        """Exclui um registro da tabela. Exige a ação `job_reference:manage`. Se uma vaga ou um currículo usa o
        registro, a resposta é 409.
        """
        return await service.delete_value(call, kind, id)


for each in Kind:
    declare_reference_values(each)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
