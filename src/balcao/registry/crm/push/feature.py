"""The push of own writes to the CRM, declared as a feature."""

from balcao.core.feature import Feature
from balcao.registry.crm.push.jobs import JOBS

FEATURE = Feature(jobs=JOBS)
