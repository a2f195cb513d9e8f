"""Routes of the people that the catalogue knows."""

from typing import Annotated, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import MAX_BODY_BYTES, cpf_in_path, in_query
from balcao.access.users import service
from balcao.access.users.schemas import User, Users, UsersQuery
from balcao.core.access.rules import action, authenticated, own
from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
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
