"""Roles, and what they grant."""

from balcao.core.feature import Feature

FEATURE = Feature()
