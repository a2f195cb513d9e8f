"""The wallet."""

from balcao.core.feature import Feature
from balcao.registry.person.wallet import api
from balcao.registry.person.wallet.personal_data import PERSONAL_DATA

FEATURE = Feature(routes=api.routes.declared, personal_data=PERSONAL_DATA)
