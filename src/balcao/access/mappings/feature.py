"""Which operation is bound to which action."""

from balcao.core.feature import Feature

FEATURE = Feature()
