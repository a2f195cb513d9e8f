"""What citizens ask the city to do: the types of requests, and the requests from their receipt to their end."""

from balcao.registry.requests.lifecycle.api import FEATURE as LIFECYCLE
from balcao.registry.requests.types.api import FEATURE as TYPES

FEATURES = (TYPES, LIFECYCLE)
