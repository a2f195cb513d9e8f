"""Acessos: people, groups, roles, actions and addresses; why somebody may; the catalogue as a document; its history."""

from balcao.panel.access.pages import AREA

__all__ = ["AREA"]
