"""Routes of the roles."""

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import MAX_BODY_BYTES, WRITES, ActionNameInPath, RoleInPath, SliceInQuery, written
from balcao.access.records import Role
from balcao.access.roles import service
from balcao.access.roles.schemas import Grant, Granted, GrantedAction, NewRole, RoleChange, Roles
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response

routes = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)


@routes.get(
    "/api/v1/roles",
    "access.list_roles",
    action("role:read"),
    "Lista os papéis",
    description="Devolve os papéis por nome, página por página. Exige a ação `role:read`.",
    errors=[422],
)
async def list_roles(call: Call, query: SliceInQuery) -> Roles:
    """List roles."""
    return await service.list_roles(call, query)


@routes.post(
    "/api/v1/roles",
    "access.create_role",
    action("role:create"),
    "Cria um papel",
    description="Cria um papel que ainda não dá nenhuma ação. Exige a ação `role:create`.",
    status=201,
    errors=[409, 422],
    example={"name": "iptu:cobranca", "description": "Cobrança do IPTU"},
    record_denial=make_denial_recorder("role.create", "role"),
    rate=WRITES,
)
async def create_role(call: Call, body: NewRole) -> Response[Role]:
    """Create a role."""
    saved = await service.create_role(call, body.name, body.description)
    return written(saved.version, saved.role, status=201)


@routes.put(
    "/api/v1/roles/{role_name}",
    "access.update_role",
    action("role:update"),
    "Descreve um papel de novo",
    description="Muda a descrição; o nome e as ações ficam. Exige a ação `role:update`.",
    errors=[404, 422],
    example={"description": "Consulta a boletos do IPTU"},
    record_denial=make_denial_recorder("role.update", "role"),
    rate=WRITES,
)
async def update_role(call: Call, role_name: RoleInPath, body: RoleChange) -> Response[Role]:
    """Describe a role anew."""
    saved = await service.update_role(call, role_name, body.description)
    return written(saved.version, saved.role)


@routes.delete(
    "/api/v1/roles/{role_name}",
    "access.delete_role",
    action("role:delete"),
    "Exclui um papel",
    description=(
        "Exclui o papel com as ações que dá e com as pessoas que o têm diretamente. Enquanto algum grupo o der, a "
        "resposta é 409 e nomeia os grupos; `admin` e `superadmin` não se excluem (403). Exige a ação `role:delete`."
    ),
    status=204,
    errors=[404, 409],
    record_denial=make_denial_recorder("role.delete", "role"),
    rate=WRITES,
)
async def delete_role(call: Call, role_name: RoleInPath) -> Response[None]:
    """Delete a role."""
    return written(await service.delete_role(call, role_name))


@routes.get(
    "/api/v1/roles/{role_name}/actions",
    "access.list_role_actions",
    action("role:read"),
    "Ações que um papel dá",
    description="Devolve as ações por nome; `admin` e `superadmin` dão todas. Exige a ação `role:read`.",
    errors=[404],
)
async def list_role_actions(call: Call, role_name: RoleInPath) -> list[GrantedAction]:
    """List what a role grants."""
    return await service.list_granted(call, role_name)


@routes.post(
    "/api/v1/roles/{role_name}/actions",
    "access.grant_action",
    action("role:manage_actions"),
    "Dá uma ação a um papel",
    description=(
        "O papel passa a dar a ação; repetir não muda nada. As ações que mudam o próprio catálogo só os papéis de "
        "administração dão (403). Exige a ação `role:manage_actions`."
    ),
    errors=[404, 409, 422],
    example={"action_name": "iptu:invoice:read"},
    record_denial=make_denial_recorder("role.grant", "role"),
    rate=WRITES,
)
async def grant_action(call: Call, role_name: RoleInPath, body: Grant) -> Response[Granted]:
    """Grant an action."""
    version = await service.grant_action(call, role_name, body.action_name)
    return written(version, Granted("action_assigned", role_name, body.action_name))


@routes.delete(
    "/api/v1/roles/{role_name}/actions/{action_name}",
    "access.revoke_action",
    action("role:manage_actions"),
    "Tira uma ação de um papel",
    description="O papel deixa de dar a ação; também 204 se não a dava. Exige a ação `role:manage_actions`.",
    status=204,
    errors=[404],
    record_denial=make_denial_recorder("role.revoke", "role"),
    rate=WRITES,
)
async def revoke_action(call: Call, role_name: RoleInPath, action_name: ActionNameInPath) -> Response[None]:
    """Revoke an action."""
    return written(await service.revoke_action(call, role_name, action_name))
