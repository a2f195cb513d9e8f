"""Routes for mappings."""

from datetime import timedelta
from typing import Annotated, TypeAlias

from balcao.access.catalogue.events import SYSTEM, CatalogueEvent
from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.catalogue.store import lock_catalogue, record_events
from balcao.access.conventions import WRITES, respond_to_write, respond_with_list, respond_with_state
from balcao.access.mappings import service, store
from balcao.access.mappings.schemas import (
    DecidingMapping,
    DecidingQuery,
    Mapping,
    MappingChange,
    MappingCreation,
    MappingsQuery,
)
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query, integer_in_path
from balcao.core.http.responses import PERSONAL, Response, to_json, with_etag

MappingId = Annotated[int, integer_in_path("Id do mapeamento", 1)]
DecidingInQuery: TypeAlias = Annotated[DecidingQuery, in_query(DecidingQuery)]
MappingsInQuery: TypeAlias = Annotated[MappingsQuery, in_query(MappingsQuery)]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/mappings",
    "access.find_mapping",
    action("mapping:read"),
    "Que mapeamento decide sobre uma requisição",
)
async def find_mapping(call: Call, query: DecidingInQuery) -> Response[DecidingMapping | None]:
    """Devolve o mapeamento que decide sobre o método e o caminho: o mais específico dos que combinam com eles. Se
    nenhum combina, devolve `null`.
    """
    return to_json(await service.find_deciding_mapping(call, query), headers={"Cache-Control": PERSONAL})


@routes.get(
    "/api/v1/mappings/list",
    "access.list_mappings",
    action("mapping:read"),
    "Lista os mapeamentos",
)
async def get_mappings(call: Call, query: MappingsInQuery) -> Response[list[Mapping]]:
    """Devolve os mapeamentos das operações da plataforma e os da cidade, por caminho e método; `X-Total-Count` traz o
    total.
    """
    async with call.platform.database.connection() as connection:
        found = await store.list_mappings(connection, query.action_filter, query.service, query.limit, query.skip)
    return respond_with_list(*found)


@routes.post(
    "/api/v1/mappings",
    "access.create_mapping",
    action("mapping:create"),
    "Mapeia um endereço de outra aplicação",
    status=201,
    errors=[400, 404, 409],
    example={"path_pattern": "/iptu/api/v1/guias/{id}", "method": "GET", "action_id": 1},
    record_denial=make_denial_recorder("mapping.create", "mapping"),
    rate=WRITES,
)
async def post_mapping(call: Call, body: MappingCreation) -> Response[Mapping]:
    """Liga um método e um caminho de outra aplicação da cidade a uma ação. A resposta é 409 se o caminho já está
    mapeado, se cruza outro que exige outra ação ou se está dentro do caminho de uma operação da plataforma.
    """
    saved = await service.create_mapping(call, body.method, body.path_pattern, body.action_id, body.description)
    return respond_to_write(saved.version, saved.mapping, status=201)


@routes.get(
    "/api/v1/mappings/{mapping_id}",
    "access.read_mapping",
    action("mapping:read"),
    "Um mapeamento",
    errors=[304, 422],
)
async def read_mapping(call: Call, mapping_id: MappingId) -> Response[Mapping]:
    """Devolve o mapeamento com o seu `ETag`. Envie-o em `If-Match` ao alterar o mapeamento."""
    return with_etag(await service.read_mapping(call, mapping_id), call, PERSONAL)


@routes.put(
    "/api/v1/mappings/{mapping_id}",
    "access.update_mapping",
    action("mapping:update"),
    "Altera um mapeamento",
    errors=[409, 412],
    example={"description": "Operação da plataforma"},
    record_denial=make_denial_recorder("mapping.update", "mapping", "mapping_id"),
    rate=WRITES,
)
async def put_mapping(call: Call, mapping_id: MappingId, body: MappingChange) -> Response[Mapping]:
    """Altera os campos que vêm no corpo. Nas operações da plataforma, o método e o caminho não mudam (409); a ação pode
    mudar, mas uma operação que trata dados de pessoas ou administra não pode ser aberta a todos (409). A mudança vale
    imediatamente em todos os processos. Com `If-Match`, o mapeamento só muda se ainda estiver como foi lido (senão,
    412).
    """
    saved = await service.update_mapping(call, mapping_id, body)
    return respond_with_state(saved.version, saved.mapping)


@routes.delete(
    "/api/v1/mappings/{mapping_id}",
    "access.delete_mapping",
    action("mapping:delete"),
    "Exclui um mapeamento",
    status=204,
    errors=[409, 422],
    record_denial=make_denial_recorder("mapping.delete", "mapping", "mapping_id"),
    rate=WRITES,
)
async def delete_mapping(call: Call, mapping_id: MappingId) -> Response[None]:
    """Exclui um mapeamento da cidade. Os das operações da plataforma não podem ser excluídos (409)."""
    return respond_to_write(await service.delete_mapping(call, mapping_id))


UNSERVED = timedelta(days=1)
RETIRED = timedelta(days=90)


async def _retire_and_delete(call: Call, connection: Connection) -> RetentionCount:
    """Retire the operations that no release serves any more, and record the retirement in the audit chain.

    Delete mappings that were retired long ago.
    """
    await lock_catalogue(connection)
    if unserved := await store.retire_unserved_mappings(connection, UNSERVED):
        retired = sorted(unserved, key=lambda mapping: str(mapping["operation"]))
        after = {"operations": [], "retired": [mapping["operation"] for mapping in retired]}
        event = CatalogueEvent("registration.sync", "mapping", before=retired, after=after)
        await record_events(connection, [event.to_document(SYSTEM, call.request_id)])
    checked = await store.count_retired_mappings(connection)
    return RetentionCount(checked, await store.delete_retired_mappings(connection, RETIRED))


FEATURE = Feature(
    routes=routes.declared,
    retention=(Retention("access_mapping", _retire_and_delete),),
    exports=Exports(tables=("access.endpoint_mapping",)),
)
