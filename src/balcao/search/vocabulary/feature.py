"""The words that the catalogue knows."""

from balcao.core.feature import Feature
from balcao.search.vocabulary import jobs

FEATURE = Feature(jobs=jobs.JOBS)
