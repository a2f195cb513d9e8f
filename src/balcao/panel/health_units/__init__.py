"""Saúde: the board of risk, units with their opening hours, holidays, counts, sources and webhooks."""

from balcao.panel.health_units.pages import AREA

__all__ = ["AREA"]
