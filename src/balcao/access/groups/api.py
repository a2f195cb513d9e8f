"""Routes for groups, their roles and their members."""

from typing import Annotated, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import (
    WRITES,
    GroupInPath,
    OptionalSliceInQuery,
    RoleInPath,
    cpf_in_path,
    respond_to_write,
    respond_with_list,
    respond_with_state,
)
from balcao.access.groups import service, store
from balcao.access.groups.schemas import (
    Assigned,
    Assignment,
    Group,
    GroupChange,
    GroupCreation,
    GroupsQuery,
    Joined,
    Member,
    MemberCreation,
)
from balcao.access.records import Role
from balcao.access.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import PERSONAL, Response, with_etag
from balcao.core.values.cpf import Cpf

GroupsInQuery: TypeAlias = Annotated[GroupsQuery, in_query(GroupsQuery)]
SubjectInPath: TypeAlias = Annotated[Cpf, cpf_in_path("subject", "CPF da pessoa, só dígitos", "90000040479")]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/groups",
    "access.list_groups",
    action("group:read"),
    "Lista os grupos",
)
async def get_groups(call: Call, query: GroupsInQuery) -> list[Group]:
    """Devolve os grupos por nome, cada um com o número de pessoas. Com `prefix`, só aqueles cujo nome começa assim."""
    async with call.platform.database.connection() as connection:
        return await store.list_groups(connection, query.prefix)


@routes.post(
    "/api/v1/groups",
    "access.create_group",
    action("group:create"),
    "Cria um grupo",
    status=201,
    errors=[400, 409],
    record_denial=make_denial_recorder("group.create", "group"),
    rate=WRITES,
)
async def post_group(call: Call, body: GroupCreation) -> Response[Group]:
    """Cria um grupo sem papéis e sem pessoas."""
    saved = await service.create_group(call, body.name, body.description, body.attributes or {})
    return respond_to_write(saved.version, saved.group, status=201)


@routes.get(
    "/api/v1/groups/{group_name}",
    "access.read_group",
    action("group:read"),
    "Um grupo",
    errors=[304],
)
async def get_group(call: Call, group_name: GroupInPath) -> Response[Group]:
    """Devolve o grupo com o seu `ETag`. Envie-o em `If-Match` ao alterar o grupo."""
    return with_etag(await service.read_group(call, group_name), call, PERSONAL)


@routes.put(
    "/api/v1/groups/{group_name}",
    "access.update_group",
    action("group:update"),
    "Altera um grupo",
    errors=[412],
    example={"description": "Redação dos serviços da cidade"},
    record_denial=make_denial_recorder("group.update", "group"),
    rate=WRITES,
)
async def put_group(call: Call, group_name: GroupInPath, body: GroupChange) -> Response[Group]:
    """Altera a descrição ou o conjunto de atributos. O que não vem no corpo fica como está; o nome não muda. Com
    `If-Match`, o grupo só muda se ainda estiver como foi lido (senão, 412).
    """
    saved = await service.update_group(call, group_name, body)
    return respond_with_state(saved.version, saved.group)


@routes.delete(
    "/api/v1/groups/{group_name}",
    "access.delete_group",
    action("group:delete"),
    "Exclui um grupo",
    status=204,
    errors=[409],
    record_denial=make_denial_recorder("group.delete", "group"),
    rate=WRITES,
)
async def delete_group(call: Call, group_name: GroupInPath) -> Response[None]:
    """Exclui o grupo; os membros perdem os papéis dele. Só um superadministrador exclui um grupo que dá a administração
    (403). O último acesso à administração não pode ser retirado (409).
    """
    return respond_to_write(await service.delete_group(call, group_name))


@routes.get(
    "/api/v1/roles/groups/{group_name}/roles",
    "access.list_group_roles",
    action("group:read"),
    "Papéis que um grupo dá",
)
async def get_group_roles(call: Call, group_name: GroupInPath) -> list[Role]:
    """Devolve os papéis que o grupo dá, por nome."""
    return await service.list_group_roles(call, group_name)


@routes.post(
    "/api/v1/roles/groups/{group_name}/roles",
    "access.assign_role",
    action("group:assign_role"),
    "Dá um papel a um grupo",
    record_denial=make_denial_recorder("group.assign_role", "group"),
    rate=WRITES,
)
async def assign_group_role(call: Call, group_name: GroupInPath, body: Assignment) -> Response[Assigned]:
    """Dá o papel ao grupo: todos os membros passam a tê-lo. Repetir a chamada não muda nada. Só um superadministrador
    dá `admin` e `superadmin` (403).
    """
    version = await service.assign_group_role(call, group_name, body.role_name)
    return respond_to_write(version, Assigned("role_assigned", group_name, body.role_name))


@routes.delete(
    "/api/v1/roles/groups/{group_name}/roles/{role_name}",
    "access.remove_role",
    action("group:assign_role"),
    "Tira um papel de um grupo",
    status=204,
    errors=[409],
    record_denial=make_denial_recorder("group.remove_role", "group"),
    rate=WRITES,
)
async def remove_group_role(call: Call, group_name: GroupInPath, role_name: RoleInPath) -> Response[None]:
    """Tira o papel do grupo: os membros deixam de tê-lo por meio do grupo. Responde 204 também se o grupo não tinha o
    papel. O último acesso à administração não pode ser retirado (409).
    """
    return respond_to_write(await service.remove_group_role(call, group_name, role_name))


@routes.get(
    "/api/v1/groups/{group_name}/members",
    "access.list_members",
    action("group:read_members"),
    "Pessoas de um grupo",
    record_denial=make_denial_recorder("group.read_members", "group"),
)
async def get_members(call: Call, group_name: GroupInPath, query: OptionalSliceInQuery) -> Response[list[Member]]:
    """Devolve as pessoas do grupo, da que entrou por último à mais antiga; `X-Total-Count` traz o total. Como a
    resposta mostra CPFs completos, a leitura é registrada na auditoria.
    """
    return respond_with_list(*await service.list_members(call, group_name, query))


@routes.post(
    "/api/v1/groups/{group_name}/members",
    "access.add_member",
    action("group:manage_members"),
    "Inclui uma pessoa em um grupo",
    record_denial=make_denial_recorder("group.add_member", "group"),
    rate=WRITES,
)
async def post_member(call: Call, group_name: GroupInPath, body: MemberCreation) -> Response[Joined]:
    """Inclui a pessoa no grupo. Ela tem os papéis dele a partir da próxima chamada, em todos os processos. Repetir a
    chamada não muda nada. Para incluir alguém, é preciso ter tudo o que o grupo dá (403).
    """
    version = await service.add_member(call, group_name, Cpf(body.subject))
    return respond_to_write(version, Joined("member_added", group_name, body.subject))


@routes.delete(
    "/api/v1/groups/{group_name}/members/{subject}",
    "access.remove_member",
    action("group:manage_members"),
    "Retira uma pessoa de um grupo",
    status=204,
    errors=[409, 422],
    record_denial=make_denial_recorder("group.remove_member", "group"),
    rate=WRITES,
)
async def remove_member(call: Call, group_name: GroupInPath, subject: SubjectInPath) -> Response[None]:
    """Retira a pessoa do grupo. Ela perde os papéis dele a partir da próxima chamada, mesmo que o token ainda valha.
    Responde 204 também se ela não era do grupo. Qualquer pessoa pode sair de um grupo, exceto o último administrador
    (409).
    """
    return respond_to_write(await service.remove_member(call, group_name, subject))


FEATURE = Feature(
    routes=routes.declared, exports=Exports(tables=("access.grp", "access.group_role", "access.membership"))
)
