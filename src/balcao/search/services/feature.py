"""The catalogue of services."""

from balcao.core.feature import Feature

FEATURE = Feature()
