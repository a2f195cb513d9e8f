"""The health units area: which units are open, where they are, and how their service differs today."""

from balcao.site.health.pages import AREA

__all__ = ["AREA"]
