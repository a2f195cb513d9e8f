"""E-mails to candidates."""

from balcao.core.feature import Feature

FEATURE = Feature()
