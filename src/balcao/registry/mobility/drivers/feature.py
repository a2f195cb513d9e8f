"""The drivers of a vehicle."""

from balcao.core.feature import Demo, Feature
from balcao.registry.mobility.drivers import api, demo
from balcao.registry.mobility.drivers.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA, demo=Demo(demo.load))
