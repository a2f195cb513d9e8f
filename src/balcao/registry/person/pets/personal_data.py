"""The pets as personal data: a person's own are erased, the city's records stay."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.pets import store
from balcao.registry.person.pets.schemas import Pet, PetBody
from balcao.registry.person.pets.service import mask_tutors

ERASED = list(PetBody.__struct_fields__)


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    pets = [mask_tutors(pet) for pet in await store.list_all_pets(connection, cpf)]
    return {"pets": msgspec.to_builtins(pets)}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("pets", await store.erase_own_pets(connection, cpf), ERASED)]


PERSONAL_DATA = PersonalData(
    "pets",
    _export,
    _erase,
    tables=("registry.loaded_pet", "registry.own_pet"),
    members=(ExportMember("pets", list[Pet], "Animais do cidadão, os carregados pela prefeitura e os próprios.", 80),),
)
