"""The health units."""

from balcao.core.feature import Feature

FEATURE = Feature()
