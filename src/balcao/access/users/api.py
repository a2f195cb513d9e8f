"""Routes of the people that the catalogue knows."""

from typing import Annotated, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import MAX_BODY_BYTES, WRITES, RoleInPath, cpf_in_path, in_query, written
from balcao.access.records import Role
from balcao.access.users import service
from balcao.access.users.schemas import DirectAssignment, DirectlyAssigned, User, Users, UsersQuery
from balcao.core.access.rules import action, authenticated, own
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response
from balcao.core.values.cpf import Cpf

UsersInQuery: TypeAlias = Annotated[UsersQuery, in_query(UsersQuery)]
CpfInPath: TypeAlias = Annotated[Cpf, cpf_in_path("cpf", "CPF da pessoa, só dígitos", "90000020109")]

routes = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)


@routes.get(
    "/api/v1/users/me",
    "access.read_own_user",
    authenticated(),
    "Quem sou eu: meus grupos e papéis",
    description=(
        "Devolve a própria pessoa com os seus grupos e com os papéis que tem agora: os do token que o catálogo "
        "conhece, os diretos e os dos grupos. Serve para um portal saber que menus mostrar. Um token sem CPF recebe "
        "403."
    ),
    errors=[403],
    rate="120/minute",
)
async def read_own_user(call: Call) -> User:
    """Return the caller."""
    return await service.read_own(call)


@routes.get(
    "/api/v1/users",
    "access.list_users",
    action("user:read"),
    "Lista as pessoas do catálogo",
    description=(
        "Devolve as pessoas por id, com grupos e papéis guardados (sem os que só vêm no token). Mostra CPFs inteiros: "
        "cada leitura fica na auditoria. Exige a ação `user:read`."
    ),
    errors=[422],
    record_denial=make_denial_recorder("user.list", "user"),
)
async def list_users(call: Call, query: UsersInQuery) -> Users:
    """List people."""
    return await service.list_users(call, query)


@routes.get(
    "/api/v1/users/{cpf}",
    "access.read_user",
    own("user:read"),
    "Uma pessoa com os seus grupos e papéis",
    description=(
        "Devolve a pessoa com os grupos e os papéis guardados. A própria pessoa lê a si mesma; as outras precisam da "
        "ação `user:read`."
    ),
    errors=[404, 422],
    record_denial=make_denial_recorder("user.read", "user"),
)
async def read_user(call: Call, cpf: CpfInPath) -> User:
    """Return a person."""
    return await service.read_user(call, cpf)


@routes.delete(
    "/api/v1/users/{cpf}",
    "access.delete_user",
    action("user:assign_role"),
    "Exclui uma pessoa sem grupos e sem papéis",
    description=(
        "Tira do catálogo uma pessoa que não tem grupo nem papel direto; enquanto tiver algum, a resposta é 409 e os "
        "nomeia. A auditoria fica. Exige a ação `user:assign_role`."
    ),
    status=204,
    errors=[404, 409, 422],
    record_denial=make_denial_recorder("user.delete", "user"),
    rate=WRITES,
)
async def delete_user(call: Call, cpf: CpfInPath) -> Response[None]:
    """Delete a person."""
    return written(await service.delete_user(call, cpf))


@routes.get(
    "/api/v1/users/{cpf}/roles",
    "access.list_user_roles",
    action("user:assign_role"),
    "Papéis diretos de uma pessoa",
    description=(
        "Devolve, por nome, os papéis dados à pessoa sem grupo; os dos grupos e os do token não entram. Cada leitura "
        "fica na auditoria. Exige a ação `user:assign_role`."
    ),
    errors=[404, 422],
    record_denial=make_denial_recorder("user.read_roles", "user"),
)
async def list_user_roles(call: Call, cpf: CpfInPath) -> list[Role]:
    """List a person's direct roles."""
    return await service.list_direct_roles(call, cpf)


@routes.post(
    "/api/v1/users/{cpf}/roles",
    "access.assign_user_role",
    action("user:assign_role"),
    "Dá um papel a uma pessoa",
    description=(
        "A pessoa passa a ter o papel na chamada seguinte, em todos os processos; repetir não muda nada. Prefira um "
        "grupo quando o papel é de mais de uma pessoa. `admin` e `superadmin` só um superadministrador dá (403). Exige "
        "a ação `user:assign_role`."
    ),
    errors=[404, 422],
    example={"role_name": "iptu:consulta"},
    record_denial=make_denial_recorder("user.assign_role", "user"),
    rate=WRITES,
)
async def assign_user_role(call: Call, cpf: CpfInPath, body: DirectAssignment) -> Response[DirectlyAssigned]:
    """Give a person a role."""
    version = await service.assign_role(call, cpf, body.role_name)
    return written(version, DirectlyAssigned("role_assigned", cpf.digits, body.role_name))


@routes.delete(
    "/api/v1/users/{cpf}/roles/{role_name}",
    "access.remove_user_role",
    action("user:assign_role"),
    "Tira um papel direto de uma pessoa",
    description=(
        "A pessoa perde o papel na chamada seguinte, se não o tem também por um grupo ou pelo token; também 204 se não "
        "o tinha. O último caminho para a administração não se tira (409). Exige a ação `user:assign_role`."
    ),
    status=204,
    errors=[404, 409, 422],
    record_denial=make_denial_recorder("user.remove_role", "user"),
    rate=WRITES,
)
async def remove_user_role(call: Call, cpf: CpfInPath, role_name: RoleInPath) -> Response[None]:
    """Take a direct role from a person."""
    return written(await service.remove_role(call, cpf, role_name))
