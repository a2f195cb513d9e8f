"""What citizens declare of themselves."""

from balcao.core.feature import Demo, Feature
from balcao.registry.person.declared import api, demo

FEATURE = Feature(routes=api.ROUTES, demo=Demo(demo.load))
