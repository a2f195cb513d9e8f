"""Routes of the citizen record and its self-declared fields."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.answers import personal
from balcao.core.operations import CurrentCall, operation
from balcao.core.rules import client, own, public, scope
from balcao.registry.citizens import service
from balcao.registry.citizens.options import GENDER
from balcao.registry.citizens.schemas import Citizen, GenderBody, Message
from balcao.registry.paths import CpfInPath, path_cpf


@operation(
    "GET",
    "/citizen/{cpf:str}",
    "registry.read_citizen",
    own("citizen:read") | scope("rmi:pessoa-fisica:read") | client("BALCAO_PLATFORM_CLIENTS"),
    "Cadastro do cidadão, com o que ele declarou",
    errors=[304, 400, 404],
    tags=["citizen"],
)
async def read_citizen(call: CurrentCall, cpf: CpfInPath) -> Response[Citizen]:
    return personal(await service.read_citizen(call, path_cpf(cpf)), call)


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
    tags=["citizen"],
)
async def list_gender_options() -> list[str]:
    return list(GENDER)


ROUTES = [read_citizen, declare_gender, list_gender_options]
