"""The pages for search engines, and the page of all pages."""

from balcao.site.seo.pages import AREA

__all__ = ["AREA"]
