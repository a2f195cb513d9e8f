"""Everything that can be loaded: the one list in which the import command looks up its kinds."""

from balcao.core.imports.declaration import Load
from balcao.registry.city.activities.loading import LOADS as ACTIVITIES
from balcao.registry.city.companies.loading import LOADS as COMPANIES
from balcao.registry.city.departments.loading import LOADS as DEPARTMENTS
from balcao.registry.mobility.catalogue.imports import LOADS as VEHICLES
from balcao.registry.person.citizens.imports import LOADS as CITIZENS
from balcao.registry.person.pets.loading import LOADS as PETS
from balcao.registry.person.tickets.imports import LOADS as TICKETS

ROOMS = (CITIZENS, TICKETS, DEPARTMENTS, ACTIVITIES, COMPANIES, PETS, VEHICLES)
LOADS: dict[str, Load] = {load.kind: load for loads in ROOMS for load in loads}
