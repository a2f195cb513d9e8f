"""Acessos: people, groups, roles, actions and addresses; why somebody may; the catalogue as a document; its history."""

from balcao.console.access.pages import AREA

__all__ = ["AREA"]
