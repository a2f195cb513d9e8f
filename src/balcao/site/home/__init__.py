"""The first page."""

from balcao.site.home.pages import AREA

__all__ = ["AREA"]
