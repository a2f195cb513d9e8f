"""Routes of the actions."""

from typing import Annotated, TypeAlias

from balcao.access.actions import service
from balcao.access.actions.schemas import (
    Action,
    ActionChange,
    ActionCreation,
    Actions,
    ActionsQuery,
    DeletionQuery,
    Holders,
    Impact,
    ImpactQuery,
)
from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import WRITES, SliceInQuery, respond_to_write, respond_with_state
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query, integer_in_path
from balcao.core.http.responses import PERSONAL, Response, with_etag

ActionId = Annotated[int, integer_in_path("Id da ação", 1)]
ActionsInQuery: TypeAlias = Annotated[ActionsQuery, in_query(ActionsQuery)]
DeletionInQuery: TypeAlias = Annotated[DeletionQuery, in_query(DeletionQuery)]
ImpactInQuery: TypeAlias = Annotated[ImpactQuery, in_query(ImpactQuery)]

routes = ROUTES.extend()


@routes.put(
    "/api/v1/actions/{action_id}",
    "access.update_action",
    action("action:update"),
    "Altera o nome ou a descrição de uma ação",
    example={"description": "Publica e retira avatares do catálogo."},
    errors=[400, 412],
    record_denial=make_denial_recorder("action.update", "action", "action_id"),
    rate=WRITES,
)
async def put_action(call: Call, action_id: ActionId, body: ActionChange) -> Response[Action]:
    """Muda o nome ou a descrição de uma ação e devolve o registro; papéis e operações a seguem pelo id. O nome das
    ações da própria plataforma não muda (403). O cabeçalho `X-Catalogue-Version` diz a versão do catálogo que a mudança
    fez; com `If-Match`, ela só vale sobre o estado lido.
    """
    saved = await service.update_action(call, action_id, body)
    return respond_with_state(saved.version, saved.action)


@routes.get(
    "/api/v1/actions",
    "access.list_actions",
    action("action:read"),
    "Lista as ações",
)
async def get_actions(call: Call, query: ActionsInQuery) -> Actions:
    """Devolve as ações por id, página por página."""
    return await service.list_actions(call, query)


@routes.post(
    "/api/v1/actions",
    "access.create_action",
    action("action:create"),
    "Cria uma ação",
    status=201,
    errors=[400, 409],
    example={"name": "iptu:invoice:cancel", "description": "Cancelar boletos do IPTU"},
    record_denial=make_denial_recorder("action.create", "action"),
    rate=WRITES,
)
async def post_action(call: Call, body: ActionCreation) -> Response[Action]:
    """Cria uma ação da cidade, a que depois se ligam mapeamentos e que os papéis dão. Um nome já usado, ou de uma ação
    da plataforma que foi excluída aqui, é 400.
    """
    saved = await service.create_action(call, body.name, body.description)
    return respond_to_write(saved.version, saved.action, status=201)


@routes.get(
    "/api/v1/actions/{action_id}",
    "access.read_action",
    action("action:read"),
    "Uma ação",
    errors=[304, 422],
)
async def get_action(call: Call, action_id: ActionId) -> Response[Action]:
    """Devolve a ação com o seu `ETag`, que `If-Match` usa na alteração."""
    return with_etag(await service.read_action(call, action_id), call, PERSONAL)


@routes.delete(
    "/api/v1/actions/{action_id}",
    "access.delete_action",
    action("action:delete"),
    "Exclui uma ação",
    status=204,
    errors=[409],
    record_denial=make_denial_recorder("action.delete", "action", "action_id"),
    rate=WRITES,
)
async def delete_action(call: Call, action_id: ActionId, query: DeletionInQuery) -> Response[None]:
    """Exclui a ação. Com operações da plataforma ligadas a ela é sempre 409; com mapeamentos da cidade ou papéis que a
    dão também, a menos que `force=true` os leve junto.
    """
    return respond_to_write(await service.delete_action(call, action_id, force=query.force))


@routes.get(
    "/api/v1/actions/{action_id}/impact",
    "access.read_impact",
    action("action:read"),
    "O que mudar a ação atingiria",
)
async def get_impact(call: Call, action_id: ActionId, query: ImpactInQuery) -> Impact:
    """Diz, sem mudar nada, que mapeamentos, papéis, grupos e quantas pessoas dependem da ação, e o que impede
    renomeá-la ou excluí-la.
    """
    return await service.read_impact(call, action_id, query)


@routes.get(
    "/api/v1/actions/{action_id}/holders",
    "access.list_holders",
    action("decision:explain"),
    "Quem tem a ação",
    record_denial=make_denial_recorder("action.holders", "action", "action_id"),
)
async def get_holders(call: Call, action_id: ActionId, query: SliceInQuery) -> Holders:
    """Devolve as pessoas que têm a ação pelo que está guardado, e por quais papéis; outras podem trazê-la no token.
    Mostra CPFs inteiros: cada leitura fica na auditoria.
    """
    return await service.list_holders(call, action_id, query)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("access.action",)))
