"""The notifications of risk."""

from balcao.core.feature import Feature

FEATURE = Feature()
