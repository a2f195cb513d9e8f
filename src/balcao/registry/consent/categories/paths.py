"""The id of a category: its one form, and how it stands in a path."""

from balcao.core.http.operations import path_text

ID = r"[a-z][a-z0-9_]{1,49}"
CategoryInPath = path_text(f"^{ID}$", "Identificador da categoria de notificações", "health")
