"""A citizen's pets: the city's records, and the pets that the citizen adds."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import Repeatable
from balcao.core.context.optimistic import write_optimistically
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import format_day
from balcao.core.values.etags import require_state
from balcao.core.values.page import Page
from balcao.registry.person.pets import store
from balcao.registry.person.pets.checks import check_body
from balcao.registry.person.pets.schemas import DATES, OWN, Pet, PetBody, Pets, PetStatistics, PetStats

FIELDS = ["pets"]
MOST_OWN = 50
DOGS = frozenset({"cachorro", "cao", "canina", "canino"})
CATS = frozenset({"gato", "felina", "felino"})


async def list_pets(call: Call, cpf: Cpf, page: Page) -> Pets:
    """Return a page of pets: the city's records first, then the citizen's own."""
    async with call.reading(cpf, FIELDS) as source:
        found, total = await store.select_pets(source, cpf, page)
    return Pets([_format(pet, call) for pet in found], page.of(total))


async def read_pet(call: Call, cpf: Cpf, pet_id: int) -> Pet:
    """Return a pet. Raises NotFound if it does not exist or belongs to another person."""
    async with call.reading(cpf, FIELDS) as source:
        found = await store.select_pet(source, cpf, pet_id)
    if found is None:
        raise _make_unknown()
    return _format(found, call)


async def list_all_pets(connection: Connection, cpf: Cpf) -> list[Pet]:
    """Return every pet for the person's data export, with the CPFs of other tutors masked."""
    return [mask_tutors(pet) for pet in await store.select_all_pets(connection, cpf)]


async def read_pet_stats(call: Call, cpf: Cpf) -> PetStats:
    async with call.reading(cpf, FIELDS) as source:
        imported = await store.count_imported_by_species(source, cpf)
        own = await store.count_own_pets(source, cpf)
    dogs = sum(count for species, count in imported.items() if species in DOGS)
    cats = sum(count for species, count in imported.items() if species in CATS)
    return PetStats(cpf.digits, PetStatistics(dogs, cats, sum(imported.values()) - dogs - cats), own)


async def create_pet(call: Call, cpf: Cpf, body: PetBody) -> bytes:
    """Add a pet and return it as JSON.

    Raises Invalid for an invalid body. Raises Conflict if the citizen has reached the limit of own pets, or if the
    idempotency key was used with another body.
    """
    record = check_body(body, utc_now(), call.zone)
    trail = call.platform.audit.encode_event(call, "create", subject=cpf, fields=FIELDS)
    repeatable = Repeatable.of(call, cpf, [cpf.digits, body])
    number = await store.draw_number(call.platform.database, cpf)
    pet = Pet(**msgspec.structs.asdict(record), id_animal=number, source=OWN)
    response = msgspec.json.encode(_format(pet, call))
    kept = repeatable and repeatable.keep(response)

    async def attempt(connection: Connection) -> bytes | None:
        insertion = await store.insert_pet(connection, cpf, number, record, most=MOST_OWN, trail=trail, kept=kept)
        if insertion.is_inserted:
            return response
        # Most idempotency keys are new, so insert first, and look up the key only if nothing was inserted.
        if repeatable is not None and (earlier := await repeatable.find(connection)) is not None:
            return earlier
        if not insertion.is_below_limit:
            raise Conflict(f"O cadastro já tem {MOST_OWN} animais próprios.", code="pet-limit")
        return None  # the stored response has expired in the meantime

    return await write_optimistically(call.platform.database, attempt)


async def replace_pet(call: Call, cpf: Cpf, pet_id: int, body: PetBody) -> Pet:
    """Replace one of the citizen's own pets and return it.

    Raises Invalid for an invalid body, and PreconditionFailed if `If-Match` does not match. Raises NotFound if the
    citizen has no such pet, and Conflict if the pet is in the city's records.
    """
    checked = check_body(body, utc_now(), call.zone)
    async with call.platform.database.transaction() as connection:
        stored = await _lock_own_pet(call, connection, cpf, pet_id)
        kept = {"registro_data": stored.registro_data, "indicador_ativo": stored.indicador_ativo}
        if body.nascimento_data == format_day(stored.nascimento_data, call.zone):
            kept["nascimento_data"] = stored.nascimento_data  # the API returned this day: keep the stored time
        record = msgspec.structs.replace(checked, **kept)
        await store.update_own_pet(connection, cpf, pet_id, record)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=FIELDS)
    return _format(Pet(**msgspec.structs.asdict(record), id_animal=pet_id, source=OWN), call)


async def delete_pet(call: Call, cpf: Cpf, pet_id: int) -> None:
    """Delete one of the citizen's own pets. Raises the same errors as `replace_pet`, except Invalid."""
    async with call.platform.database.transaction() as connection:
        await _lock_own_pet(call, connection, cpf, pet_id)
        await store.delete_own_pet(connection, cpf, pet_id)
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)


async def _lock_own_pet(call: Call, connection: Connection, cpf: Cpf, pet_id: int) -> Pet:
    """Lock one of the citizen's own pets and return it as it is stored.

    Raises the same errors as `replace_pet`, except Invalid.
    """
    stored = await store.lock_own_pet(connection, cpf, pet_id)
    if stored is None:
        if await store.is_imported_pet(connection, cpf, pet_id):
            text = "Este animal vem dos registros da cidade. Só se mudam os que a própria pessoa cadastrou."
            raise Conflict(text, code="pet-not-own")
        raise _make_unknown()
    require_state(call.if_match, _format(msgspec.structs.replace(stored), call))
    return stored


def _make_unknown() -> NotFound:
    return NotFound("Não há animal com este número.", code="pet-unknown")


def mask_tutors(pet: Pet) -> Pet:
    """Mask the CPFs of the other tutors in place, and return the pet."""
    for tutor in pet.outros_tutores:
        tutor.cpf = Cpf(tutor.cpf).masked if tutor.cpf else None
    return pet


def _format(pet: Pet, call: Call) -> Pet:
    """Convert each date to midnight in the city's time zone, and mask other people's CPFs, both in place."""
    for name in DATES:
        if (text := getattr(pet, name)) is not None:
            setattr(pet, name, format_day(text, call.zone))
    return mask_tutors(pet)
