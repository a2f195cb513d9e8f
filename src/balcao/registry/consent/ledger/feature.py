"""The proof of consent; its one route is with the preferences."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.consent.ledger.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    retention=RETENTION, personal_data=PERSONAL_DATA, exports=Exports(tables=("registry.preference_ledger",))
)
