"""Routes for the synonyms."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import NO_STORE, Response
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import parse_page_parameters, read_parameter, respond_to_staff, respond_with_tag
from balcao.search.routes import ROUTES
from balcao.search.synonyms import service
from balcao.search.synonyms.schemas import SynonymBody, SynonymGroup, SynonymGroups, SynonymsQuery

routes = ROUTES.extend(tags=["tuning"], body_limit=SMALL_BODY)

GroupIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do grupo", "7c1d2b10-8a55-4a6c-9a43-1f7a5f0c2f0e", f"^{UUID_PATTERN}$")
]
_RULE = action("search_tuning:manage")


@routes.get(
    "/api/v1/admin/synonyms",
    "search.list_synonyms",
    _RULE,
    "Lista os sinônimos da busca",
    query=SynonymsQuery,
)
async def list_synonyms(call: Call, query: Query) -> Response[SynonymGroups]:
    """Devolve uma página dos grupos de sinônimos. Com `term`, só os que têm esse texto em algum termo, sem distinguir
    acentos, maiúsculas e hífens.
    """
    return respond_to_staff(
        await service.list_synonym_groups(call, read_parameter(query, "term"), *parse_page_parameters(query))
    )


@routes.get(
    "/api/v1/admin/synonyms/{id}",
    "search.read_synonyms",
    _RULE,
    "Um grupo de sinônimos",
)
async def read_synonyms(call: Call, id: GroupIdInPath) -> Response[SynonymGroup]:
    """Devolve um grupo de termos."""
    return respond_with_tag(await service.read_synonym_group(call, id))


@routes.put(
    "/api/v1/admin/synonyms/{id}",
    "search.put_synonyms",
    _RULE,
    "Cria ou substitui um grupo de sinônimos",
    errors=[409, 412],
)
async def put_synonyms(call: Call, id: GroupIdInPath, body: SynonymBody) -> Response[SynonymGroup]:
    """Grava um grupo com um identificador (UUID) que quem chama escolhe. As buscas o usam imediatamente: quem digita um
    dos termos acha também os outros, com peso menor. Com `If-Match`, só substitui se o grupo não mudou desde que foi
    lido (senão, 412).
    """
    return respond_with_tag(await service.put_synonym_group(call, id, body))


@routes.delete(
    "/api/v1/admin/synonyms/{id}",
    "search.remove_synonyms",
    _RULE,
    "Remove um grupo de sinônimos",
    status=204,
    errors=[412],
)
async def remove_synonyms(call: Call, id: GroupIdInPath) -> Response[None]:
    """Remove um grupo, e as buscas deixam de usá-lo imediatamente. Com `If-Match`, só remove se o grupo não mudou desde
    que foi lido (senão, 412).
    """
    await service.remove_synonym_group(call, id)
    return Response(status=204, headers={"Cache-Control": NO_STORE})


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.synonyms",)))
