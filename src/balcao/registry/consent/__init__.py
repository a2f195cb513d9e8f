"""What a citizen agrees to be notified of, and the proof of it."""

from balcao.registry.consent.categories.api import FEATURE as CATEGORIES
from balcao.registry.consent.ledger.feature import FEATURE as LEDGER
from balcao.registry.consent.preferences.api import FEATURE as PREFERENCES

FEATURES = (CATEGORIES, LEDGER, PREFERENCES)
