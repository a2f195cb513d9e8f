"""The departments of the city hall and their services."""

from balcao.site.departments.pages import AREA

__all__ = ["AREA"]
