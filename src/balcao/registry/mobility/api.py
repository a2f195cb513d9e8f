"""Routes of the mobility rooms."""

from balcao.registry.mobility.catalogue import api as catalogue
from balcao.registry.mobility.drivers import api as conductors
from balcao.registry.mobility.vehicles import api as vehicles

ROUTES = [*vehicles.ROUTES, *conductors.ROUTES, *catalogue.ROUTES]
