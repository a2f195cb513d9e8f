"""Routes of the self-declared fields and of the lists that forms offer for them."""

from balcao.core.access.rules import own, public
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, with_etag
from balcao.registry.paths import CpfInPath
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.declared import service
from balcao.registry.person.declared.choices import CHOICES, GENDER, Choice
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody

CACHE = "public, max-age=300"


routes = Routes(tags=["citizen"])


@routes.put(
    "/citizen/{cpf}/gender",
    "registry.declare_gender",
    own("citizen:write"),
    "Declara o gênero do cidadão, em texto livre",
    errors=[400, 412],
)
async def declare_gender(call: Call, cpf: CpfInPath, body: GenderBody) -> Message:
    return await service.declare_gender(call, cpf, body)


@routes.get(
    "/citizen/gender/options",
    "registry.list_gender_options",
    public(),
    "Sugestões para o campo gênero",
    errors=[304],
)
async def list_gender_options(call: Call) -> Response[list[str]]:
    return with_etag(list(GENDER), call, CACHE)


@routes.put(
    "/citizen/{cpf}/address",
    "registry.declare_address",
    own("citizen:write"),
    "Declara ou remove o endereço do cidadão",
    errors=[400, 409, 412],
)
async def declare_address(call: Call, cpf: CpfInPath, body: AddressBody) -> Message:
    return await service.declare_address(call, cpf, body)


@routes.put(
    "/citizen/{cpf}/email",
    "registry.declare_email",
    own("citizen:write"),
    "Declara o e-mail do cidadão",
    errors=[400, 409, 412],
)
async def declare_email(call: Call, cpf: CpfInPath, body: ValueBody) -> Message:
    return await service.declare_email(call, cpf, body)


@routes.put(
    "/citizen/{cpf}/exhibition-name",
    "registry.declare_exhibition_name",
    own("citizen:write"),
    "Declara o nome pelo qual o cidadão quer ser chamado",
    errors=[400, 412],
)
async def declare_exhibition_name(call: Call, cpf: CpfInPath, body: ValueBody) -> Message:
    return await service.declare_exhibition_name(call, cpf, body)


def _declare_operations_of(choice: Choice) -> None:
    @routes.put(
        f"/citizen/{{cpf}}/{choice.path}",
        f"registry.declare_{choice.key}",
        own("citizen:write"),
        f"Declara o dado do cidadão: {choice.title}",
        errors=[400, 412],
    )
    async def declare(call: Call, cpf: CpfInPath, body: ValueBody) -> Message:
        return await service.declare_choice(call, cpf, choice, body)

    @routes.get(
        f"/citizen/{choice.path}/options",
        f"registry.list_{choice.key}_options",
        public(),
        f"Opções do campo {choice.title}",
        errors=[304],
    )
    async def list_options(call: Call) -> Response[list[str]]:
        return with_etag(list(choice.options), call, CACHE)


for each in CHOICES:
    _declare_operations_of(each)
