"""The search in the services and the other areas."""

from balcao.site.search.pages import AREA

__all__ = ["AREA"]
