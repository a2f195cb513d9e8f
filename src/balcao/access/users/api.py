"""Routes of the people in the catalogue."""

from datetime import timedelta
from typing import Annotated, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import WRITES, RoleInPath, cpf_in_path, respond_to_write
from balcao.access.records import Role
from balcao.access.routes import ROUTES
from balcao.access.users import service, store
from balcao.access.users.schemas import (
    DirectAssignment,
    DirectlyAssigned,
    OwnActions,
    User,
    Users,
    UsersQuery,
)
from balcao.core.access.rules import action, authenticated, own
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query, integer_in_path
from balcao.core.http.responses import Response
from balcao.core.values.cpf import Cpf

UsersInQuery: TypeAlias = Annotated[UsersQuery, in_query(UsersQuery)]
UserId = Annotated[int, integer_in_path("Id da pessoa", 12)]
CpfInPath: TypeAlias = Annotated[Cpf, cpf_in_path("cpf", "CPF da pessoa, só dígitos", "90000020109")]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/users/me",
    "access.read_own_user",
    authenticated(),
    "Quem sou eu: meus grupos e papéis",
    rate="120/minute",
)
async def get_own_user(call: Call) -> User:
    """Devolve a própria pessoa com os seus grupos e com os papéis que tem agora: os do token que o catálogo conhece, os
    diretos e os dos grupos. Serve para um portal saber que menus mostrar. Um token sem CPF recebe 403.
    """
    return await service.read_own_user(call)


@routes.get(
    "/api/v1/users/me/actions",
    "access.list_own_actions",
    authenticated(),
    "O que posso fazer: minhas ações e até onde alcançam",
    rate="600/minute",
    # A portal uses this call to show the button that ends a maintenance of this service.
    in_maintenance=True,
)
def get_own_actions(call: Call) -> OwnActions:
    """Devolve, por nome, as ações que o token e o catálogo de agora dão a quem chama, cada uma com o seu alcance; a
    quem administra, todas. Serve para um portal mostrar só o que não seria recusado: quem decide é a própria operação.
    """
    return service.list_own_actions(call)


@routes.get(
    "/api/v1/users",
    "access.list_users",
    action("user:read"),
    "Lista as pessoas do catálogo",
    record_denial=make_denial_recorder("user.list", "user"),
)
async def get_users(call: Call, query: UsersInQuery) -> Users:
    """Devolve as pessoas por id, com grupos e papéis guardados (sem os que só vêm no token); `search` procura no nome e
    no CPF. Mostra CPFs inteiros: cada leitura fica na auditoria.
    """
    return await service.list_users(call, query)


@routes.get(
    "/api/v1/users/{cpf}",
    "access.read_user",
    own("user:read"),
    "Uma pessoa com os seus grupos e papéis",
    errors=[422],
    record_denial=make_denial_recorder("user.read", "user"),
)
async def read_user(call: Call, cpf: CpfInPath) -> User:
    """Devolve a pessoa com os grupos e os papéis guardados. A própria pessoa lê a si mesma; as outras precisam da ação
    `user:read`.
    """
    return await service.read_user(call, cpf)


@routes.get(
    "/api/v1/users/by-id/{user_id}",
    "access.find_user",
    action("user:read"),
    "Uma pessoa, pelo identificador",
    errors=[404, 422],
    record_denial=make_denial_recorder("user.read", "user", "user_id"),
)
async def find_user(call: Call, user_id: UserId) -> User:
    """Devolve a pessoa como a consulta pelo CPF. O identificador é o `id` das listas, e serve a endereços de páginas,
    em que um CPF não deve aparecer.
    """
    return await service.find_user(call, user_id)


@routes.delete(
    "/api/v1/users/{cpf}",
    "access.delete_user",
    action("user:assign_role"),
    "Exclui uma pessoa sem grupos e sem papéis",
    status=204,
    errors=[409, 422],
    record_denial=make_denial_recorder("user.delete", "user"),
    rate=WRITES,
)
async def delete_user(call: Call, cpf: CpfInPath) -> Response[None]:
    """Remove do catálogo uma pessoa sem grupos nem papéis diretos. Se ela ainda tiver algum, a resposta 409 os lista.
    Os registros de auditoria são mantidos.
    """
    return respond_to_write(await service.delete_user(call, cpf))


@routes.get(
    "/api/v1/users/{cpf}/roles",
    "access.list_user_roles",
    action("user:assign_role"),
    "Papéis diretos de uma pessoa",
    errors=[422],
    record_denial=make_denial_recorder("user.read_roles", "user"),
)
async def get_user_roles(call: Call, cpf: CpfInPath) -> list[Role]:
    """Devolve, por nome, os papéis dados à pessoa sem grupo; os dos grupos e os do token não entram. Cada leitura fica
    na auditoria.
    """
    return await service.list_direct_roles(call, cpf)


@routes.post(
    "/api/v1/users/{cpf}/roles",
    "access.assign_user_role",
    action("user:assign_role"),
    "Dá um papel a uma pessoa",
    record_denial=make_denial_recorder("user.assign_role", "user"),
    rate=WRITES,
)
async def assign_user_role(call: Call, cpf: CpfInPath, body: DirectAssignment) -> Response[DirectlyAssigned]:
    """A pessoa passa a ter o papel na chamada seguinte, em todos os processos; repetir não muda nada. Prefira um grupo
    quando o papel é de mais de uma pessoa. `admin` e `superadmin` só um superadministrador dá (403).
    """
    version = await service.assign_person_role(call, cpf, body.role_name)
    return respond_to_write(version, DirectlyAssigned("role_assigned", cpf.digits, body.role_name))


@routes.delete(
    "/api/v1/users/{cpf}/roles/{role_name}",
    "access.remove_user_role",
    action("user:assign_role"),
    "Tira um papel direto de uma pessoa",
    status=204,
    errors=[409, 422],
    record_denial=make_denial_recorder("user.remove_role", "user"),
    rate=WRITES,
)
async def remove_user_role(call: Call, cpf: CpfInPath, role_name: RoleInPath) -> Response[None]:
    """A pessoa perde o papel na chamada seguinte, se não o tem também por um grupo ou pelo token; também 204 se não o
    tinha. O último caminho para a administração não se tira (409).
    """
    return respond_to_write(await service.remove_person_role(call, cpf, role_name))


UNSEEN = timedelta(days=731)  # two years

FEATURE = Feature(
    routes=routes.declared,
    retention=[OldRows("access_person", store.count_people, store.delete_unseen_people, UNSEEN)],
    exports=store.EXPORTS,
)
