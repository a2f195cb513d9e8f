"""Acessos: people, groups, roles, actions, addresses, explained decisions, the catalogue document, and its history."""

from balcao.panel.access.pages import AREA

__all__ = ["AREA"]
