"""The pets' share of `balcao registry import`."""

from balcao.registry.loading import Load
from balcao.registry.person.pets import store
from balcao.registry.person.pets.schemas import PetLine

LOADS = [Load("pets", PetLine, store.load)]
