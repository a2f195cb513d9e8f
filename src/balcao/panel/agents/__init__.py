"""The area “Agentes”: the versions of the city's agents, sets of examples, and experiments with the examples."""

from balcao.panel.agents.pages import AREA

__all__ = ["AREA"]
