"""Groups of staff."""

from balcao.core.feature import Feature

FEATURE = Feature()
