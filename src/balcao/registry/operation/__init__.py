"""Operating the platform: view processes, queues and imports, and make changes that do not need a restart."""

from balcao.registry.operation.imports.api import FEATURE as IMPORTS
from balcao.registry.operation.limits.api import FEATURE as LIMITS
from balcao.registry.operation.maintenance.api import FEATURE as MAINTENANCE
from balcao.registry.operation.platform.api import FEATURE as PLATFORM
from balcao.registry.operation.queues.api import FEATURE as QUEUES
from balcao.registry.operation.response_counts.api import FEATURE as RESPONSE_COUNTS

FEATURES = (PLATFORM, RESPONSE_COUNTS, QUEUES, LIMITS, MAINTENANCE, IMPORTS)
