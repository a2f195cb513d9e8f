"""Light electric vehicles: what citizens register, who may drive them, and the catalogue they choose from."""

from balcao.registry.mobility.catalogue.feature import FEATURE as CATALOGUE
from balcao.registry.mobility.drivers.feature import FEATURE as DRIVERS
from balcao.registry.mobility.invitations.feature import FEATURE as INVITATIONS
from balcao.registry.mobility.vehicles.feature import FEATURE as VEHICLES

FEATURES = (CATALOGUE, INVITATIONS, VEHICLES, DRIVERS)
