"""The departments that jobs belong to, as the registry last described them."""

from balcao.core.feature import Feature
from balcao.employability.jobs.departments.jobs import KINDS

FEATURE = Feature(jobs=KINDS)
