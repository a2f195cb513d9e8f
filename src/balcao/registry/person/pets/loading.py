"""The pets' share of `balcao registry import`."""

from balcao.core.imports.declaration import Load
from balcao.registry.person.pets import store
from balcao.registry.person.pets.schemas import PetLine

LOADS = [Load("pets", PetLine, store.load)]
