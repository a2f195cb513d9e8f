"""Routes for pets."""

from balcao.core.access.rules import own
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, created, personal, stored
from balcao.registry.person.pets import service, store
from balcao.registry.person.pets.imports import IMPORTS
from balcao.registry.person.pets.paths import PetInPath
from balcao.registry.person.pets.schemas import Pet, PetBody, Pets, PetStats
from balcao.registry.routes import ROUTES

routes = ROUTES.extend(tags=["pets"], dialect=ERROR_AND_MESSAGE, body_limit=SMALL_BODY)


@routes.get(
    "/citizen/{cpf}/pets",
    "registry.list_pets",
    own("pets:read"),
    "Animais do cidadão",
    errors=[304],
)
async def get_pets(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[Pets]:
    """Devolve uma página dos animais do cidadão: primeiro os dos registros da cidade, depois os que ele mesmo
    cadastrou. O CPF de outros tutores vem mascarado.
    """
    return personal(await service.list_pets(call, cpf, page), call)


@routes.post(
    "/citizen/{cpf}/pets",
    "registry.create_pet",
    own("pets:write"),
    "Cadastra um animal do cidadão",
    status=201,
    errors=[409],
)
async def post_pet(call: Call, cpf: CpfInPath, body: PetBody) -> Response[Pet]:
    """Cadastra um animal do cidadão e o devolve com o seu número. Cada cidadão pode cadastrar até 50 animais;
    acima disso, a resposta é 409. Com o cabeçalho `Idempotency-Key`, repetir a chamada devolve a primeira resposta.
    """
    return created(await service.create_pet(call, cpf, body))


@routes.get(
    "/citizen/{cpf}/pets/stats",
    "registry.read_pet_stats",
    own("pets:read"),
    "Quantos animais o cidadão tem, por espécie",
    errors=[304, 400],
)
async def get_pet_stats(call: Call, cpf: CpfInPath) -> Response[PetStats]:
    """Devolve quantos animais do cidadão há nos registros da cidade, por espécie, e quantos ele mesmo cadastrou."""
    return personal(await service.read_pet_stats(call, cpf), call)


@routes.get(
    "/citizen/{cpf}/pets/{pet_id}",
    "registry.read_pet",
    own("pets:read"),
    "Um animal do cidadão",
    errors=[304, 400],
)
async def get_pet(call: Call, cpf: CpfInPath, pet_id: PetInPath) -> Response[Pet]:
    """Devolve um animal do cidadão; 404 se ele não existe ou é de outra pessoa."""
    return personal(await service.read_pet(call, cpf, pet_id), call)


@routes.put(
    "/citizen/{cpf}/pets/{pet_id}",
    "registry.replace_pet",
    own("pets:write"),
    "Altera um animal que o cidadão cadastrou",
    errors=[400, 409, 412],
)
async def put_pet(call: Call, cpf: CpfInPath, pet_id: PetInPath, body: PetBody) -> Response[Pet]:
    """Substitui os dados de um animal que o próprio cidadão cadastrou; um animal dos registros da cidade não muda
    (409). Um campo ausente fica sem valor. Com `If-Match`, a resposta é 412 se o animal mudou desde a leitura.
    """
    return stored(await service.replace_pet(call, cpf, pet_id, body))


@routes.delete(
    "/citizen/{cpf}/pets/{pet_id}",
    "registry.delete_pet",
    own("pets:write"),
    "Exclui um animal que o cidadão cadastrou",
    status=204,
    errors=[400, 409, 412],
)
async def delete_pet(call: Call, cpf: CpfInPath, pet_id: PetInPath) -> None:
    """Exclui um animal que o próprio cidadão cadastrou; um animal dos registros da cidade não pode ser excluído (409).
    Com `If-Match`, a resposta é 412 se o animal mudou desde a leitura.
    """
    await service.delete_pet(call, cpf, pet_id)


EXPORTED = ExportMember(
    "pets",
    list[Pet],
    "Animais do cidadão, os carregados pela prefeitura e os próprios.",
    80,
    service.list_all_pets,
)

# An erasure deletes the pets that the citizen added, and retains the city's records.
PERSONAL_DATA = PersonalData(
    "pets",
    [EXPORTED],
    erase_rows("pets", store.erase_own_pets, PetBody.__struct_fields__),
    tables=["registry.loaded_pet", "registry.own_pet"],
)

FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    imports=IMPORTS,
    exports=store.EXPORTS,
)
