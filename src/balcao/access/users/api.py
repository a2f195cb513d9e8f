"""Routes for the people in the catalogue."""

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
    """Devolve quem chama, com os seus grupos e com os papéis que tem agora: os diretos, os dos grupos e os do token que
    existem no catálogo. Com isso, um portal sabe que menus mostrar. Um token sem CPF recebe 403.
    """
    return await service.read_own_user(call)


@routes.get(
    "/api/v1/users/me/actions",
    "access.list_own_actions",
    authenticated(),
    "O que posso fazer: minhas ações e até onde alcançam",
    rate="600/minute",
    # Portals call this operation during maintenance to show the button that ends it.
    in_maintenance=True,
)
def get_own_actions(call: Call) -> OwnActions:
    """Devolve as ações que quem chama tem agora, pelo token e pelo catálogo, em ordem de chave e com o alcance de cada
    uma. Quem administra tem todas. Um portal pode mostrar só o que a pessoa pode usar; quem decide é sempre a própria
    operação.
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
    """Devolve uma página das pessoas, em ordem de id, com os grupos e papéis guardados no catálogo (sem os que só vêm
    no token). `search` procura no nome e no CPF. Como a resposta mostra CPFs completos, a leitura é registrada na
    auditoria.
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
    """Devolve a pessoa com os grupos e papéis guardados no catálogo. Cada pessoa pode ler os seus próprios dados; para
    ler os de outra, é preciso a ação `user:read`.
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
    """Devolve a pessoa com este identificador, o `id` das listas, como a consulta pelo CPF. Use-o em endereços de
    páginas, em que um CPF não deve aparecer.
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
    """Devolve os papéis diretos da pessoa, por nome. Os que vêm de grupos ou do token não entram. A leitura é
    registrada na auditoria.
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
    """Dá o papel diretamente à pessoa. Ela o tem a partir da próxima chamada, em todos os processos. Repetir a chamada
    não muda nada. Se várias pessoas precisam do mesmo papel, prefira um grupo. Só um superadministrador dá `admin` e
    `superadmin` (403).
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
    """Tira o papel direto da pessoa, que o perde a partir da próxima chamada, a menos que o tenha também por um grupo
    ou pelo token. Responde 204 também se ela não tinha o papel. O último acesso à administração não pode ser retirado
    (409).
    """
    return respond_to_write(await service.remove_person_role(call, cpf, role_name))


UNUSED_PERIOD = timedelta(days=731)  # two years

FEATURE = Feature(
    routes=routes.declared,
    retention=[OldRows("access_person", store.count_people, store.delete_unseen_people, UNUSED_PERIOD)],
    exports=store.EXPORTS,
)
