"""What a citizen agrees to be notified of, and the proof of it."""

from balcao.registry.consent.categories.feature import FEATURE as CATEGORIES
from balcao.registry.consent.ledger.feature import FEATURE as LEDGER
from balcao.registry.consent.preferences.feature import FEATURE as PREFERENCES

FEATURES = (CATEGORIES, LEDGER, PREFERENCES)
