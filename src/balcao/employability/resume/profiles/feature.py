"""The head of a resume, which the other parts hang on."""

from balcao.core.feature import Feature

FEATURE = Feature()
