"""Everything that can be loaded: the one list in which the import command looks up its kinds."""

from balcao.registry.activities.loading import LOADS as ACTIVITIES
from balcao.registry.citizens.loading import LOADS as CITIZENS
from balcao.registry.companies.loading import LOADS as COMPANIES
from balcao.registry.departments.loading import LOADS as DEPARTMENTS
from balcao.registry.loading import Load
from balcao.registry.mobility.catalogue.loading import LOADS as VEHICLES
from balcao.registry.pets.loading import LOADS as PETS
from balcao.registry.tickets.loading import LOADS as TICKETS

ROOMS = (CITIZENS, TICKETS, DEPARTMENTS, ACTIVITIES, COMPANIES, PETS, VEHICLES)
LOADS: dict[str, Load] = {load.kind: load for loads in ROOMS for load in loads}
