"""Início: what waits for the person, where they wanted to go, what they may do, what they had typed."""

from balcao.panel.home.pages import AREA

__all__ = ["AREA"]
