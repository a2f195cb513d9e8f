"""What a release brings to the catalogue."""

from balcao.core.feature import Feature

FEATURE = Feature()
