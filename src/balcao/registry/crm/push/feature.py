"""The push of own writes to the CRM."""

from balcao.core.feature import Demo, Feature
from balcao.registry.crm.push import demo
from balcao.registry.crm.push.jobs import JOBS

FEATURE = Feature(jobs=JOBS, demo=Demo(demo.load))
