"""What the city knows of a person, and what they say of themselves."""

from balcao.core.feature import Demo, Feature
from balcao.registry.person import demo
from balcao.registry.person.avatars.feature import FEATURE as AVATARS
from balcao.registry.person.citizens.feature import FEATURE as CITIZENS
from balcao.registry.person.declared.feature import FEATURE as DECLARED
from balcao.registry.person.pets.feature import FEATURE as PETS
from balcao.registry.person.phone_book.feature import FEATURE as PHONE_BOOK
from balcao.registry.person.phones.feature import FEATURE as PHONES
from balcao.registry.person.settings.feature import FEATURE as SETTINGS
from balcao.registry.person.tickets.feature import FEATURE as TICKETS
from balcao.registry.person.validators.feature import FEATURE as VALIDATORS
from balcao.registry.person.wallet.feature import FEATURE as WALLET

FEATURES = (
    CITIZENS,
    WALLET,
    TICKETS,
    Feature(demo=Demo(demo.load, demo.examples)),
    DECLARED,
    PHONES,
    PHONE_BOOK,
    VALIDATORS,
    SETTINGS,
    AVATARS,
    PETS,
)
