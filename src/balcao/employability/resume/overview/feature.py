"""The complete resume."""

from balcao.core.feature import Feature
from balcao.employability.resume.overview import api
from balcao.employability.resume.overview.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA)
