"""Routes for roles."""

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import (
    WRITES,
    ActionNameInPath,
    RoleInPath,
    SliceInQuery,
    respond_to_write,
    respond_with_state,
)
from balcao.access.records import Role
from balcao.access.roles import service
from balcao.access.roles.schemas import Grant, Granted, GrantedAction, RoleChange, RoleCreation, Roles
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.responses import PERSONAL, Response, with_etag

routes = ROUTES.extend()


@routes.get(
    "/api/v1/roles",
    "access.list_roles",
    action("role:read"),
    "Lista os papéis",
)
async def get_roles(call: Call, query: SliceInQuery) -> Roles:
    """Devolve uma página dos papéis, por nome."""
    return await service.list_roles(call, query)


@routes.post(
    "/api/v1/roles",
    "access.create_role",
    action("role:create"),
    "Cria um papel",
    status=201,
    errors=[400, 409],
    record_denial=make_denial_recorder("role.create", "role"),
    rate=WRITES,
)
async def post_role(call: Call, body: RoleCreation) -> Response[Role]:
    """Cria um papel que ainda não dá nenhuma ação."""
    saved = await service.create_role(call, body.name, body.description)
    return respond_to_write(saved.version, saved.role, status=201)


@routes.get(
    "/api/v1/roles/{role_name}",
    "access.read_role",
    action("role:read"),
    "Um papel",
    errors=[304],
)
async def get_role(call: Call, role_name: RoleInPath) -> Response[Role]:
    """Devolve o papel com o seu `ETag`. Envie-o em `If-Match` ao alterar o papel."""
    return with_etag(await service.read_role(call, role_name), call, PERSONAL)


@routes.put(
    "/api/v1/roles/{role_name}",
    "access.update_role",
    action("role:update"),
    "Descreve um papel de novo",
    errors=[412],
    record_denial=make_denial_recorder("role.update", "role"),
    rate=WRITES,
)
async def put_role(call: Call, role_name: RoleInPath, body: RoleChange) -> Response[Role]:
    """Altera a descrição do papel. O nome e as ações não mudam. Com `If-Match`, o papel só muda se ainda estiver como
    foi lido (senão, 412).
    """
    saved = await service.update_role(call, role_name, body.description)
    return respond_with_state(saved.version, saved.role)


@routes.delete(
    "/api/v1/roles/{role_name}",
    "access.delete_role",
    action("role:delete"),
    "Exclui um papel",
    status=204,
    errors=[409],
    record_denial=make_denial_recorder("role.delete", "role"),
    rate=WRITES,
)
async def delete_role(call: Call, role_name: RoleInPath) -> Response[None]:
    """Exclui o papel; as pessoas que o têm diretamente o perdem. Enquanto algum grupo o der, a resposta é 409 e lista
    os grupos. `admin` e `superadmin` não podem ser excluídos (403).
    """
    return respond_to_write(await service.delete_role(call, role_name))


@routes.get(
    "/api/v1/roles/{role_name}/actions",
    "access.list_role_actions",
    action("role:read"),
    "Ações que um papel dá",
)
async def get_role_actions(call: Call, role_name: RoleInPath) -> list[GrantedAction]:
    """Devolve as ações que o papel dá, por nome. `admin` e `superadmin` dão todas."""
    return await service.list_granted_actions(call, role_name)


@routes.post(
    "/api/v1/roles/{role_name}/actions",
    "access.grant_action",
    action("role:manage_actions"),
    "Dá uma ação a um papel",
    errors=[409],
    record_denial=make_denial_recorder("role.grant", "role"),
    rate=WRITES,
)
async def grant_action(call: Call, role_name: RoleInPath, body: Grant) -> Response[Granted]:
    """Dá a ação ao papel. Repetir a chamada não muda nada. Só os papéis de administração podem dar as ações que mudam o
    próprio catálogo (403).
    """
    version = await service.grant_action(call, role_name, body.action_name)
    return respond_to_write(version, Granted("action_assigned", role_name, body.action_name))


@routes.delete(
    "/api/v1/roles/{role_name}/actions/{action_name}",
    "access.revoke_action",
    action("role:manage_actions"),
    "Tira uma ação de um papel",
    status=204,
    record_denial=make_denial_recorder("role.revoke", "role"),
    rate=WRITES,
)
async def revoke_action(call: Call, role_name: RoleInPath, action_name: ActionNameInPath) -> Response[None]:
    """Tira a ação do papel. Responde 204 também se o papel não dava a ação."""
    return respond_to_write(await service.revoke_action(call, role_name, action_name))


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("access.role", "access.role_action")))
