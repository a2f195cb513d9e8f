"""The files for search engines, and the site map for people."""

from balcao.site.seo.pages import AREA

__all__ = ["AREA"]
