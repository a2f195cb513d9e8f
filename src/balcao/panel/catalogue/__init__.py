"""Catálogo: services from the first draft to the public, their history, and what tunes the search."""

from balcao.panel.catalogue.pages import AREA

__all__ = ["AREA"]
