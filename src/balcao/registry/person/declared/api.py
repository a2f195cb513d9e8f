"""Routes for the self-declared fields, and for the lists that forms offer for them."""

from balcao.core.access.rules import own, public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, with_etag
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.declared import service
from balcao.registry.person.declared.choices import CHOICES, GENDER, Choice
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody
from balcao.registry.routes import ROUTES

CACHE = "public, max-age=300"


routes = ROUTES.extend(tags=["citizen"], body_limit=SMALL_BODY)


@routes.put(
    "/citizen/{cpf}/gender",
    "registry.declare_gender",
    own("citizen:write"),
    "Declara o gênero do cidadão, em texto livre",
    errors=[412],
)
async def declare_gender(call: Call, cpf: CpfInPath, body: GenderBody) -> Message:
    """Grava o gênero declarado, em texto livre. Repetir o mesmo valor só renova o horário. O que o cidadão declara
    prevalece sobre o cadastro da cidade e é enviado ao CRM.
    """
    return await service.declare_gender(call, cpf, body)


@routes.get(
    "/citizen/gender/options",
    "registry.list_gender_options",
    public(),
    "Sugestões para o campo gênero",
    errors=[304],
)
async def get_gender_options(call: Call) -> Response[list[str]]:
    """Devolve os textos sugeridos para o gênero, na ordem de exibição. Qualquer outro texto também é aceito. Operação
    pública.
    """
    return with_etag(list(GENDER), call, CACHE)


@routes.put(
    "/citizen/{cpf}/address",
    "registry.declare_address",
    own("citizen:write"),
    "Declara ou remove o endereço do cidadão",
    errors=[409, 412],
    example={
        "tipo_logradouro": "Rua",
        "logradouro": "das Marés",
        "numero": "122",
        "complemento": "apto 301",
        "bairro": "Praia Grande",
        "municipio": "Porto Aurora",
        "estado": "RJ",
        "cep": "24000-120",
    },
)
async def declare_address(call: Call, cpf: CpfInPath, body: AddressBody) -> Message:
    """Grava o endereço declarado, ou o remove se os seis campos obrigatórios têm o texto `null`. Declarar de novo o
    mesmo endereço é recusado (409) enquanto a declaração é recente.
    """
    return await service.declare_address(call, cpf, body)


@routes.put(
    "/citizen/{cpf}/email",
    "registry.declare_email",
    own("citizen:write"),
    "Declara o e-mail do cidadão",
    errors=[409, 412],
    example={"valor": "ana.moreira@pessoa.example"},
)
async def declare_email(call: Call, cpf: CpfInPath, body: ValueBody) -> Message:
    """Grava o e-mail declarado, que passa a ser o principal. Declarar de novo o mesmo e-mail é recusado (409) enquanto
    a declaração é recente.
    """
    return await service.declare_email(call, cpf, body)


@routes.put(
    "/citizen/{cpf}/exhibition-name",
    "registry.declare_exhibition_name",
    own("citizen:write"),
    "Declara o nome pelo qual o cidadão quer ser chamado",
    errors=[412],
)
async def declare_exhibition_name(call: Call, cpf: CpfInPath, body: ValueBody) -> Message:
    """Grava o nome pelo qual o cidadão quer ser chamado, de 1 a 255 caracteres."""
    return await service.declare_exhibition_name(call, cpf, body)


def _add_routes(choice: Choice) -> None:
    """Declare the two operations for a field that has a list of options."""

    @routes.put(
        f"/citizen/{{cpf}}/{choice.path}",
        f"registry.declare_{choice.key}",
        own("citizen:write"),
        f"Declara o dado do cidadão: {choice.title}",
        errors=[400, 412],
        description=(
            f"Grava o valor declarado, que deve ser um dos de `/citizen/{choice.path}/options`, exato (400 se não "
            "for). O que o cidadão declara vale mais que o cadastro da cidade e é levado ao CRM."
        ),
        example={"valor": choice.options[0]},
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
        """Devolve os valores exatos que o campo aceita, na ordem de exibição. Operação pública."""
        return with_etag(list(choice.options), call, CACHE)


for each in CHOICES:
    _add_routes(each)


FEATURE = Feature(routes=routes.declared)
