"""The area “Catálogo”: services from draft to publication, their history, and the tuning of the search."""

from balcao.panel.catalogue.pages import AREA

__all__ = ["AREA"]
