"""Agentes: what the city's agents run with, version by version; example sets and what agents answered to them."""

from balcao.panel.agents.pages import AREA

__all__ = ["AREA"]
