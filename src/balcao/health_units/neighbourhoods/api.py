"""Routes for the city's neighbourhoods."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import PERSONAL, Response, stored, with_etag
from balcao.core.values.text import fold_text, has_control, stacks_marks
from balcao.health_units.neighbourhoods import service
from balcao.health_units.neighbourhoods.schemas import Neighbourhood, NeighbourhoodBody, Neighbourhoods
from balcao.health_units.operations import CACHE, MANAGE_UNITS, READ
from balcao.health_units.routes import ROUTES

_LONGEST_NAME = 100
_LONGEST_KEY = 300


def _parse_name(text: str) -> str:
    """Parse the name of a neighbourhood in a path.

    Raises Unprocessable if it is empty or too long, has surrounding blanks or control characters, or too many accents
    on a letter.
    """
    is_line = 1 <= len(text) <= _LONGEST_NAME and text == text.strip() and not has_control(text)
    # Check the length after folding, because folding turns some characters into several and removes others.
    if not is_line or stacks_marks(text) or not 1 <= len(fold_text(text)) <= _LONGEST_KEY:
        item = Fault(loc=["path", "bairro"], msg="deve ter de 1 a 100 caracteres", type="string_pattern_mismatch")
        raise Unprocessable("O nome do bairro no caminho é inválido.", code="neighbourhood-invalid", faults=[item])
    return text


NameInPath: TypeAlias = Annotated[
    str, InPath(_parse_name, "Nome do bairro, sem diferença de maiúsculas e acentos", "Ilha do Farol")
]

routes = ROUTES.extend(tags=["unidades"], body_limit=SMALL_BODY)


@routes.get(
    "/bairros",
    "health_units.list_neighbourhoods",
    READ,
    "Os bairros da cidade, com um ponto em cada um",
    errors=[304],
    may_lag=True,
)
async def get_neighbourhoods(call: Call) -> Response[Neighbourhoods]:
    """Lista os bairros para quem procura uma unidade perto de um deles sem informar onde está: o ponto serve de `lat` e
    `lon` em `/unidades/mapa`. Vêm os bairros que a prefeitura cadastrou e, com a média das posições, os demais que têm
    unidades ativas. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.list_neighbourhoods(call), call, CACHE)


@routes.get(
    "/bairros/{bairro}",
    "health_units.read_neighbourhood",
    READ,
    "Um bairro cadastrado",
    errors=[304, 422],
)
async def get_neighbourhood(call: Call, bairro: NameInPath) -> Response[Neighbourhood]:
    """Devolve o ponto que a prefeitura cadastrou. Qualquer pessoa com token pode ler; uma máquina precisa do escopo
    `sms:read`.
    """
    return with_etag(await service.read_neighbourhood(call, bairro), call, PERSONAL)


@routes.put(
    "/bairros/{bairro}",
    "health_units.put_neighbourhood",
    MANAGE_UNITS,
    "Define o ponto de um bairro",
    example={"latitude": -22.87, "longitude": -43.19},
    errors=[409, 412],
    same_body=[201],
)
async def put_neighbourhood(call: Call, bairro: NameInPath, body: NeighbourhoodBody) -> Response[Neighbourhood]:
    """Cadastra o bairro (201) ou muda o ponto e a escrita do nome (200). Um nome que só difere em maiúsculas e acentos
    é o mesmo bairro. Com `If-Match`, a mudança só é feita se o bairro não mudou desde que foi lido.
    """
    neighbourhood, is_new = await service.put_neighbourhood(call, bairro, body)
    return stored(neighbourhood, status=201 if is_new else 200)


@routes.delete(
    "/bairros/{bairro}",
    "health_units.delete_neighbourhood",
    MANAGE_UNITS,
    "Apaga o ponto de um bairro",
    status=204,
    errors=[412, 422],
)
async def delete_neighbourhood(call: Call, bairro: NameInPath) -> None:
    """Apaga o bairro do cadastro. As unidades do bairro não mudam. Com `If-Match`, ele só é apagado se não mudou desde
    que foi lido.
    """
    await service.delete_neighbourhood(call, bairro)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("health_units.neighbourhoods",)))
