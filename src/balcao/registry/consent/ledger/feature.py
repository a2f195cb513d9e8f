"""The proof of consent; its one route is with the preferences."""

from balcao.core.feature import Feature
from balcao.registry.consent.ledger.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(retention=RETENTION, personal_data=PERSONAL_DATA)
