"""Light electric vehicles: what citizens register, who may drive them, and the catalogue they choose from."""

from balcao.registry.mobility.catalogue.api import FEATURE as CATALOGUE
from balcao.registry.mobility.drivers.api import FEATURE as DRIVERS
from balcao.registry.mobility.vehicles.api import FEATURE as VEHICLES

# Drivers before vehicles: an erasure finds the links to the own vehicles by their owner, while they still have one.
FEATURES = (CATALOGUE, DRIVERS, VEHICLES)
