"""Citizen registry: who a citizen is and how the city may reach them."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.service import Service
from balcao.registry import city, consent, crm, mirror, mobility, person
from balcao.registry.dead_letters.feature import FEATURE as DEAD_LETTERS
from balcao.registry.rights.feature import make_feature as make_rights
from balcao.registry.running import running

# The mirror first: an erasure sets its tombstone before anything is judged by what is left in it.
_FEATURES = [
    *mirror.FEATURES,
    *person.FEATURES,
    *consent.FEATURES,
    *city.FEATURES,
    *mobility.FEATURES,
    *crm.FEATURES,
]
_RIGHTS = make_rights(feature.personal_data for feature in _FEATURES if feature.personal_data is not None)

SERVICE = Service(
    name="registry",
    prefix="/registry",
    base="/v1",
    title="Balcão: registro do cidadão",
    version="1.0",
    package=__name__,
    features=[*_FEATURES, _RIGHTS, DEAD_LETTERS],
    dialects={"": ERROR_TEXT},
    tags=[
        "citizen",
        "rights",
        "validators",
        "settings",
        "avatars",
        "preferences",
        "notification-categories",
        "departments",
        "companies",
        "pets",
        "mobility",
        "crm",
        "jobs",
    ],
    running=running,
)
