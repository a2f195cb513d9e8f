"""Routes for the legacy mappings (`tombamentos`)."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.core.values.etags import etag_of
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import (
    parse_page_parameters,
    read_id,
    respond_created,
    respond_to_staff,
    respond_with_tag,
)
from balcao.search.legacy_mappings import service
from balcao.search.legacy_mappings.schemas import (
    ERROR_WITH_MAPPING,
    LegacyMapping,
    LegacyMappingBody,
    LegacyMappingQuery,
    LegacyMappings,
    OldServiceQuery,
)
from balcao.search.routes import ROUTES

# The notes may have 20,000 characters, and a character can take several bytes.
routes = ROUTES.extend(tags=["legacy"], body_limit=2 * FORM_BODY)

READ, MANAGE = "service:read", "service_redirect:manage"
EXAMPLE_ID = "7b1de1c0-52f4-4a83-9d0e-2a6f0c4b8e11"
MappingIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do tombamento", EXAMPLE_ID, f"^{UUID_PATTERN}$")]
_EXAMPLE = {
    "origem": "1746_v2_llm",
    "id_servico_antigo": "90001",
    "id_servico_novo": "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10",
    "observacoes": "Conferido com a central.",
}


@routes.get(
    "/api/v1/admin/tombamentos",
    "search.list_legacy_mappings",
    action(READ),
    "Lista os tombamentos",
    query=LegacyMappingQuery,
)
async def get_legacy_mappings(call: Call, query: Query) -> Response[LegacyMappings]:
    """Devolve uma página dos tombamentos, do mais novo ao mais antigo, com os filtros pedidos."""
    return respond_to_staff(await service.list_legacy_mappings(call, query, *parse_page_parameters(query)))


@routes.post(
    "/api/v1/admin/tombamentos",
    "search.create_legacy_mapping",
    action(MANAGE),
    "Faz um tombamento",
    status=201,
    dialect=ERROR_WITH_MAPPING,
    example=_EXAMPLE,
    errors=[404, 409],
)
async def post_legacy_mapping(call: Call, body: LegacyMappingBody) -> Response[LegacyMapping]:
    """Liga o número de um sistema antigo a este serviço: o endereço `by-legacy` passa a levar a ele. Se o número já tem
    tombamento, a resposta é 409, com o tombamento que existe.
    """
    made = await service.create_mapping_once(call, body)
    return respond_created(made, f"tombamentos/{read_id(made)}", etag_of(made))


@routes.get(
    "/api/v1/admin/tombamentos/by-old-service",
    "search.find_legacy_mapping",
    action(READ),
    "O tombamento de um número antigo",
    errors=[404],
    query=OldServiceQuery,
)
async def find_legacy_mapping(call: Call, query: Query) -> Response[LegacyMapping]:
    """Devolve o tombamento do número de um sistema antigo."""
    return respond_with_tag(await service.find_by_old_service(call, query))


@routes.get(
    "/api/v1/admin/tombamentos/{id}",
    "search.read_legacy_mapping",
    action(READ),
    "Um tombamento",
)
async def read_legacy_mapping(call: Call, id: MappingIdInPath) -> Response[LegacyMapping]:
    """Devolve um tombamento."""
    return respond_with_tag(await service.read_legacy_mapping(call, id))


@routes.put(
    "/api/v1/admin/tombamentos/{id}",
    "search.update_legacy_mapping",
    action(MANAGE),
    "Altera um tombamento",
    dialect=ERROR_WITH_MAPPING,
    example=_EXAMPLE | {"id_servico_antigo": "90002"},
    errors=[409, 412],
)
async def put_legacy_mapping(call: Call, id: MappingIdInPath, body: LegacyMappingBody) -> Response[LegacyMapping]:
    """Substitui um tombamento, que pode passar a outro serviço. Se o número já está em outro tombamento, a resposta é
    409, com esse tombamento. Com `If-Match`, só grava se o tombamento não mudou desde que foi lido (senão, 412).
    """
    return respond_with_tag(await service.update_legacy_mapping(call, id, body))


@routes.delete(
    "/api/v1/admin/tombamentos/{id}",
    "search.delete_legacy_mapping",
    action(MANAGE),
    "Remove um tombamento",
    status=204,
    errors=[412],
)
async def delete_legacy_mapping(call: Call, id: MappingIdInPath) -> None:
    """Remove um tombamento; o serviço fica. Com `If-Match`, só remove se o tombamento não mudou desde que foi lido
    (senão, 412).
    """
    await service.delete_legacy_mapping(call, id)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("search.legacy_sources", "search.tombamentos")))
