"""Pets of a citizen: those of the city's records, and those they add themselves."""

import msgspec

from balcao.core.context.audit import recording
from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.http.idempotency import NOT_REPEATABLE, Repeatable
from balcao.core.http.paging import Page
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import format_days
from balcao.registry.person.pets import store
from balcao.registry.person.pets.checks import checked
from balcao.registry.person.pets.schemas import DATES, Pet, PetBody, Pets, PetStatistics, PetStats, PetTutor

FIELDS = ["pets"]
MOST_OWN = 50
DOGS = frozenset({"cachorro", "cao", "canina", "canino"})
CATS = frozenset({"gato", "felina", "felino"})


async def list_pets(call: Call, cpf: Cpf, page: Page) -> Pets:
    """The city's records first, then the citizen's own."""
    async with call.reading(cpf, FIELDS) as connection:
        found, total = await store.find(connection, cpf, page)
    return Pets([_shown(pet, call) for pet in found], page.of(total))


async def read_pet(call: Call, cpf: Cpf, pet_id: int) -> Pet:
    """Raises NotFound, also for another person's pet."""
    async with call.reading(cpf, FIELDS) as connection:
        found = await store.read(connection, cpf, pet_id)
    if found is None:
        raise NotFound("Não há animal com este número.", code="pet-unknown")
    return _shown(found, call)


async def read_stats(call: Call, cpf: Cpf) -> PetStats:
    async with call.reading(cpf, FIELDS) as connection:
        loaded = await store.loaded_by_species(connection, cpf)
        own = await store.count_own(connection, cpf)
    dogs = sum(count for species, count in loaded.items() if species in DOGS)
    cats = sum(count for species, count in loaded.items() if species in CATS)
    return PetStats(cpf.digits, PetStatistics(dogs, cats, sum(loaded.values()) - dogs - cats), own)


async def create_pet(call: Call, cpf: Cpf, body: PetBody) -> bytes:
    """The pet as JSON. Raises Invalid, and Conflict beyond the limit of own pets or for a key of another body."""
    record = checked(body, utc_now(), call.zone)
    trail = call.platform.audit.encode_event(call, "create", subject=cpf, fields=FIELDS)
    repeatable = Repeatable.of(call, cpf, [cpf.digits, body])
    while True:  # until the key is ours or its answer is found
        async with call.platform.database.connection() as connection:
            if repeatable is not None and (kept := await repeatable.find(connection)) is not None:
                return kept
            number = await store.draw_number(connection)
            pet = Pet(**msgspec.structs.asdict(record), id_animal=number, source="self_registered")
            answer = msgspec.json.encode(_shown(pet, call))
            values = NOT_REPEATABLE if repeatable is None else repeatable.values(answer)
            try:
                with recording():
                    if await store.insert(connection, cpf, number, record, most=MOST_OWN, trail=trail, kept=values):
                        return answer
            except store.PetLimit:
                raise Conflict(f"O cadastro já tem {MOST_OWN} animais próprios.", code="pet-limit") from None


def without_tutors_cpf(pet: Pet) -> Pet:
    """With the CPFs of the other tutors masked."""
    return msgspec.structs.replace(pet, outros_tutores=[_masked(tutor) for tutor in pet.outros_tutores])


def _masked(tutor: PetTutor) -> PetTutor:
    return msgspec.structs.replace(tutor, cpf=Cpf(tutor.cpf).masked if tutor.cpf else None)


def _shown(pet: Pet, call: Call) -> Pet:
    """With each of its days as midnight in the city's zone, and nobody else's CPF."""
    shown: Pet = format_days(without_tutors_cpf(pet), DATES, call.zone)
    return shown
