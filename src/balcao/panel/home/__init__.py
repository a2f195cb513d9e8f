"""The first page with waiting items, "Ir para", the person's rights and sessions, and stored drafts."""

from balcao.panel.home.pages import AREA

__all__ = ["AREA"]
