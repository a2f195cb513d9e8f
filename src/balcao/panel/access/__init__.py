"""The area “Acessos”: people, groups, roles, actions, addresses and decisions, and the catalogue as a whole."""

from balcao.panel.access.pages import AREA

__all__ = ["AREA"]
