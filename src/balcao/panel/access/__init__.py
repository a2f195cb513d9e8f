"""The area “Acessos”: people, groups, roles, actions, addresses, explained decisions, and the catalogue itself."""

from balcao.panel.access.pages import AREA

__all__ = ["AREA"]
