"""Citizens' requests to the city: the types of requests, and each request from when it is made until it is closed."""

from balcao.registry.requests.lifecycle.api import FEATURE as LIFECYCLE
from balcao.registry.requests.types.api import FEATURE as TYPES

FEATURES = (TYPES, LIFECYCLE)
