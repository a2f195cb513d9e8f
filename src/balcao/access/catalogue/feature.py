"""The catalogue as a whole: its lock, its versions and its history."""

from balcao.core.feature import Feature

FEATURE = Feature()
