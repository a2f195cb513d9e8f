"""The first page with the waiting items, "Ir para", the person's rights and sessions, and drafts."""

from balcao.panel.home.pages import AREA

__all__ = ["AREA"]
