"""The pages for services and their subjects."""

from balcao.site.services.pages import AREA

__all__ = ["AREA"]
