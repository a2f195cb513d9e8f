"""The area “Agentes”: versions of the city's agents, data sets with examples, experiments, and webhooks."""

from balcao.panel.agents.pages import AREA

__all__ = ["AREA"]
