"""Help, appearance and privacy: pages that need no service."""

from balcao.site.help.pages import AREA

__all__ = ["AREA"]
