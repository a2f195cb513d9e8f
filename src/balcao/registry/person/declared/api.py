"""Routes of the self-declared fields and of the lists that forms offer for them."""

from collections.abc import Sequence

from litestar import Response
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from balcao.core.access.rules import own, public
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import with_etag
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.declared import service
from balcao.registry.person.declared.choices import CHOICES, GENDER, Choice
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody

CACHE = "public, max-age=300"


@operation(
    "PUT",
    "/citizen/{cpf:str}/gender",
    "registry.declare_gender",
    own("citizen:write"),
    "Declara o gênero do cidadão, em texto livre",
    errors=[400, 412],
    body=GenderBody,
    tags=["citizen"],
)
async def declare_gender(call: CurrentCall, cpf: CpfInPath, data: JSONBody[GenderBody]) -> Message:
    return await service.declare_gender(call, path_cpf(cpf), data)


@operation(
    "GET",
    "/citizen/gender/options",
    "registry.list_gender_options",
    public(),
    "Sugestões para o campo gênero",
    errors=[304],
    tags=["citizen"],
)
async def list_gender_options(call: CurrentCall) -> Response[list[str]]:
    return with_etag(list(GENDER), call, CACHE)


@operation(
    "PUT",
    "/citizen/{cpf:str}/address",
    "registry.declare_address",
    own("citizen:write"),
    "Declara ou remove o endereço do cidadão",
    errors=[400, 409, 412],
    body=AddressBody,
    tags=["citizen"],
)
async def declare_address(call: CurrentCall, cpf: CpfInPath, data: JSONBody[AddressBody]) -> Message:
    return await service.declare_address(call, path_cpf(cpf), data)


@operation(
    "PUT",
    "/citizen/{cpf:str}/email",
    "registry.declare_email",
    own("citizen:write"),
    "Declara o e-mail do cidadão",
    errors=[400, 409, 412],
    body=ValueBody,
    tags=["citizen"],
)
async def declare_email(call: CurrentCall, cpf: CpfInPath, data: JSONBody[ValueBody]) -> Message:
    return await service.declare_email(call, path_cpf(cpf), data)


@operation(
    "PUT",
    "/citizen/{cpf:str}/exhibition-name",
    "registry.declare_exhibition_name",
    own("citizen:write"),
    "Declara o nome pelo qual o cidadão quer ser chamado",
    errors=[400, 412],
    body=ValueBody,
    tags=["citizen"],
)
async def declare_exhibition_name(call: CurrentCall, cpf: CpfInPath, data: JSONBody[ValueBody]) -> Message:
    return await service.declare_exhibition_name(call, path_cpf(cpf), data)


def _routes_of(choice: Choice) -> Sequence[HTTPRouteHandler]:
    @operation(
        "PUT",
        f"/citizen/{{cpf:str}}/{choice.path}",
        f"registry.declare_{choice.key}",
        own("citizen:write"),
        f"Declara o dado do cidadão: {choice.title}",
        errors=[400, 412],
        body=ValueBody,
        tags=["citizen"],
    )
    async def declare(call: CurrentCall, cpf: CpfInPath, data: JSONBody[ValueBody]) -> Message:
        return await service.declare_choice(call, path_cpf(cpf), choice, data)

    @operation(
        "GET",
        f"/citizen/{choice.path}/options",
        f"registry.list_{choice.key}_options",
        public(),
        f"Opções do campo {choice.title}",
        errors=[304],
        tags=["citizen"],
    )
    async def list_options(call: CurrentCall) -> Response[list[str]]:
        return with_etag(list(choice.options), call, CACHE)

    return declare, list_options


ROUTES = [
    declare_gender,
    list_gender_options,
    declare_address,
    declare_email,
    declare_exhibition_name,
    *(route for choice in CHOICES for route in _routes_of(choice)),
]
