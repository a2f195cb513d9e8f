"""The area “Acessos”: people, groups, roles, actions, addresses, decisions, and the document and history."""

from balcao.panel.access.pages import AREA

__all__ = ["AREA"]
