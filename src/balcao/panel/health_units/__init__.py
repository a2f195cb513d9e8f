"""The area “Saúde”: the risk board, units with their opening hours, holidays, counts, sources and webhooks."""

from balcao.panel.health_units.pages import AREA

__all__ = ["AREA"]
