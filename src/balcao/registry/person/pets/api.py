"""Routes of the pets."""

from typing import Any

from litestar import Request, Response
from litestar.params import JSONBody

from balcao.core.access.rules import own
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.paging import PageQuery, page_of
from balcao.core.http.responses import created, personal
from balcao.registry.paths import CpfInPath, path_cpf
from balcao.registry.person.pets import service
from balcao.registry.person.pets.paths import PetInPath, path_pet
from balcao.registry.person.pets.schemas import Pet, PetBody, Pets, PetStats


@operation(
    "GET",
    "/citizen/{cpf:str}/pets",
    "registry.list_pets",
    own("pets:read"),
    "Animais do cidadão",
    errors=[304, 400],
    query=PageQuery,
    tags=["pets"],
)
async def list_pets(call: CurrentCall, request: Request[Any, Any, Any], cpf: CpfInPath) -> Response[Pets]:
    return personal(await service.list_pets(call, path_cpf(cpf), page_of(request)), call)


@operation(
    "POST",
    "/citizen/{cpf:str}/pets",
    "registry.create_pet",
    own("pets:write"),
    "Cadastra um animal do cidadão",
    status=201,
    errors=[400, 409],
    body=PetBody,
    tags=["pets"],
)
async def create_pet(call: CurrentCall, cpf: CpfInPath, data: JSONBody[PetBody]) -> Response[Pet]:
    answer: Response[Any] = created(await service.create_pet(call, path_cpf(cpf), data))
    return answer


@operation(
    "GET",
    "/citizen/{cpf:str}/pets/stats",
    "registry.read_pet_stats",
    own("pets:read"),
    "Quantos animais o cidadão tem, por espécie",
    errors=[304, 400],
    tags=["pets"],
)
async def read_stats(call: CurrentCall, cpf: CpfInPath) -> Response[PetStats]:
    return personal(await service.read_stats(call, path_cpf(cpf)), call)


@operation(
    "GET",
    "/citizen/{cpf:str}/pets/{pet_id:str}",
    "registry.read_pet",
    own("pets:read"),
    "Um animal do cidadão",
    errors=[304, 400, 404],
    tags=["pets"],
)
async def read_pet(call: CurrentCall, cpf: CpfInPath, pet_id: PetInPath) -> Response[Pet]:
    return personal(await service.read_pet(call, path_cpf(cpf), path_pet(pet_id)), call)


ROUTES = [list_pets, create_pet, read_stats, read_pet]
