"""What citizens declare of themselves."""

from balcao.core.feature import Demo, Feature
from balcao.registry.person.declared import api, demo

FEATURE = Feature(routes=api.routes.declared, demo=Demo(demo.load))
