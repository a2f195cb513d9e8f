"""Routes for actions."""

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
    """Altera o nome ou a descrição da ação e devolve o registro. Papéis e mapeamentos continuam ligados a ela, porque a
    referenciam pelo id. O nome das ações reservadas à plataforma não pode mudar (403). O cabeçalho
    `X-Catalogue-Version` traz a versão do catálogo depois da mudança. Com `If-Match`, a ação só muda se ainda estiver
    como foi lida (senão, 412).
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
    """Devolve uma página das ações, em ordem de id."""
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
    """Cria uma ação da cidade, que depois pode ser exigida por mapeamentos e dada por papéis. Se o nome já é usado, ou
    é de uma ação da plataforma excluída aqui, a resposta é 400.
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
    """Devolve a ação com o seu `ETag`. Envie-o em `If-Match` ao alterar a ação."""
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
    """Exclui a ação. A resposta é 409 se operações da plataforma a exigem. Também é 409 se mapeamentos da cidade a
    exigem ou papéis a dão, a menos que `force=true` seja enviado: nesse caso os mapeamentos são excluídos e os papéis
    deixam de dá-la. As ações reservadas à plataforma não podem ser excluídas (403).
    """
    return respond_to_write(await service.delete_action(call, action_id, force=query.force))


@routes.get(
    "/api/v1/actions/{action_id}/impact",
    "access.read_impact",
    action("action:read"),
    "O que mudar a ação atingiria",
)
async def get_impact(call: Call, action_id: ActionId, query: ImpactInQuery) -> Impact:
    """Lista os mapeamentos, papéis e grupos que dependem da ação, conta as pessoas que a têm por esses papéis e informa
    o que impede renomeá-la ou excluí-la. Nada muda.
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
    """Devolve as pessoas que têm a ação por papéis guardados no catálogo, e quais são esses papéis. Outras pessoas
    podem tê-la por um papel que só vem no token. Como a resposta mostra CPFs completos, a leitura é registrada na
    auditoria.
    """
    return await service.list_holders(call, action_id, query)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("access.action",)))
