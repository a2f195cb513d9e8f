"""The collection that searches run on."""

from balcao.core.feature import Feature

FEATURE = Feature()
