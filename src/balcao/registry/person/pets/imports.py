"""Import of the city's pet records."""

from balcao.core.imports.declaration import Import
from balcao.registry.person.pets import store
from balcao.registry.person.pets.schemas import PetRow

IMPORTS = [
    Import("pets", PetRow, store.upsert_imported_pets, from_table=True, key=lambda row: (row.cpf, row.id_animal))
]
