"""The health units: which unit is open, where it is, and what changes there today."""

from balcao.site.health.pages import AREA

__all__ = ["AREA"]
