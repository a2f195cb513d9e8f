"""Light electric vehicles: their registration by citizens, their drivers, and the catalogue of brands and models."""

from balcao.registry.mobility.catalogue.api import FEATURE as CATALOGUE
from balcao.registry.mobility.drivers.api import FEATURE as DRIVERS
from balcao.registry.mobility.vehicles.api import FEATURE as VEHICLES

# List drivers before vehicles. An erasure finds the drivers of a person's own vehicles by the vehicles' owner, and
# erasing the vehicles removes that owner.
FEATURES = (CATALOGUE, DRIVERS, VEHICLES)
