"""The notifications that a citizen agrees to receive, and the proof of that consent."""

from balcao.registry.consent.categories.api import FEATURE as CATEGORIES
from balcao.registry.consent.ledger.feature import FEATURE as LEDGER
from balcao.registry.consent.opt_outs.api import FEATURE as OPT_OUTS
from balcao.registry.consent.preferences.api import FEATURE as PREFERENCES

FEATURES = (CATEGORIES, LEDGER, PREFERENCES, OPT_OUTS)
