"""Agentes: the versions of the city's agents, sets of examples, and the agents' answers to them."""

from balcao.panel.agents.pages import AREA

__all__ = ["AREA"]
