"""The platform's own operation: what runs, waits and is imported, and what is changed while it runs."""

from balcao.registry.operation.imports.api import FEATURE as IMPORTS
from balcao.registry.operation.limits.api import FEATURE as LIMITS
from balcao.registry.operation.maintenance.api import FEATURE as MAINTENANCE
from balcao.registry.operation.platform.api import FEATURE as PLATFORM
from balcao.registry.operation.queues.api import FEATURE as QUEUES
from balcao.registry.operation.response_counts.api import FEATURE as RESPONSE_COUNTS

FEATURES = (PLATFORM, RESPONSE_COUNTS, QUEUES, LIMITS, MAINTENANCE, IMPORTS)
