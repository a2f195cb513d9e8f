"""The pages for help, appearance and privacy. They do not call any service."""

from balcao.site.help.pages import AREA

__all__ = ["AREA"]
