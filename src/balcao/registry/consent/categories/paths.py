"""The pattern for category ids, and the path parameter for a category."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

ID = r"[a-z][a-z0-9_]{1,49}"

CategoryInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da categoria de notificações", "health", f"^{ID}$")
]
