"""The complete resume."""

from balcao.core.feature import Demo, Feature
from balcao.employability.resume.overview import api, demo
from balcao.employability.resume.overview.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA, demo=Demo(demo.load, demo.examples))
