"""The city's data about a person, and the data that the person declares."""

from balcao.registry.person.avatars.api import FEATURE as AVATARS
from balcao.registry.person.citizens.api import FEATURE as CITIZENS
from balcao.registry.person.declared.api import FEATURE as DECLARED
from balcao.registry.person.files.api import FEATURE as FILES
from balcao.registry.person.pets.api import FEATURE as PETS
from balcao.registry.person.phone_book.api import FEATURE as PHONE_BOOK
from balcao.registry.person.phones.api import FEATURE as PHONES
from balcao.registry.person.search.api import FEATURE as SEARCH
from balcao.registry.person.settings.api import FEATURE as SETTINGS
from balcao.registry.person.tickets.api import FEATURE as TICKETS
from balcao.registry.person.validators.api import FEATURE as VALIDATORS
from balcao.registry.person.wallet.api import FEATURE as WALLET

FEATURES = (
    CITIZENS,
    SEARCH,
    WALLET,
    TICKETS,
    DECLARED,
    PHONES,
    PHONE_BOOK,
    VALIDATORS,
    SETTINGS,
    AVATARS,
    FILES,
    PETS,
)
