"""Announces each change of a risk to every process."""

from balcao.core.feature import Feature

FEATURE = Feature()
