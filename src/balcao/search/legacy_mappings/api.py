"""Routes of the legacy mappings (`tombamentos`)."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import FORM_BODY, Routes
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import LOCATION, sending
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import parse_page, respond_to_staff
from balcao.search.legacy_mappings import service
from balcao.search.legacy_mappings.schemas import (
    ERROR_WITH_MAPPING,
    LegacyMapping,
    LegacyMappingBody,
    LegacyMappingQuery,
    LegacyMappings,
    OldServiceQuery,
)

# Notes of 20000 characters of several bytes each.
routes = Routes(tags=["legacy"], body_limit=2 * FORM_BODY)

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
    description="Devolve uma página dos tombamentos, dos mais novos, pelos filtros dados. Exige a ação `service:read`.",
    errors=[400],
    query=LegacyMappingQuery,
)
async def list_mappings(call: Call, query: Query) -> Response[LegacyMappings]:
    """Return a page of the mappings."""
    return respond_to_staff(await service.list_mappings(call, query, *parse_page(query)))


@routes.post(
    "/api/v1/admin/tombamentos",
    "search.create_legacy_mapping",
    action(MANAGE),
    "Faz um tombamento",
    status=201,
    description=(
        "Anota que o número de um sistema antigo é agora este serviço: o endereço `by-legacy` leva a ele. Um número "
        "que já tem tombamento é 409, com o existente. Exige a ação `service_redirect:manage`."
    ),
    dialect=ERROR_WITH_MAPPING,
    example=_EXAMPLE,
    errors=[400, 404, 409],
)
@sending(LOCATION)
async def create_mapping(call: Call, body: LegacyMappingBody) -> Response[LegacyMapping]:
    """Map an old number to a service."""
    made = await service.create(call, body)
    return respond_to_staff(made, {LOCATION.name: f"tombamentos/{made.id}"}, status=201)


@routes.get(
    "/api/v1/admin/tombamentos/by-old-service",
    "search.find_legacy_mapping",
    action(READ),
    "O tombamento de um número antigo",
    description="Devolve o tombamento do número de um sistema antigo. Exige a ação `service:read`.",
    errors=[400, 404],
    query=OldServiceQuery,
)
async def find_mapping(call: Call, query: Query) -> Response[LegacyMapping]:
    """Return the mapping of an old number."""
    return respond_to_staff(await service.find_by_old_service(call, query))


@routes.get(
    "/api/v1/admin/tombamentos/{id}",
    "search.read_legacy_mapping",
    action(READ),
    "Um tombamento",
    description="Devolve um tombamento. Exige a ação `service:read`.",
)
async def read_mapping(call: Call, id: MappingIdInPath) -> Response[LegacyMapping]:
    """Return a mapping."""
    return respond_to_staff(await service.read(call, id))


@routes.put(
    "/api/v1/admin/tombamentos/{id}",
    "search.update_legacy_mapping",
    action(MANAGE),
    "Altera um tombamento",
    description=(
        "Grava o tombamento como enviado, também para outro serviço. Um número que é de outro tombamento é 409, com "
        "este. Exige a ação `service_redirect:manage`."
    ),
    dialect=ERROR_WITH_MAPPING,
    example=_EXAMPLE | {"id_servico_antigo": "90002"},
    errors=[400, 409],
)
async def update_mapping(call: Call, id: MappingIdInPath, body: LegacyMappingBody) -> Response[LegacyMapping]:
    """Change a mapping."""
    return respond_to_staff(await service.update(call, id, body))


@routes.delete(
    "/api/v1/admin/tombamentos/{id}",
    "search.delete_legacy_mapping",
    action(MANAGE),
    "Remove um tombamento",
    status=204,
    description="Remove um tombamento; o serviço fica. Exige a ação `service_redirect:manage`.",
)
async def delete_mapping(call: Call, id: MappingIdInPath) -> Response[None]:
    """Remove a mapping."""
    await service.delete(call, id)
    return Response(status=204)
