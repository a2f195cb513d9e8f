"""The pattern of category ids, and the category as a path parameter."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

ID = r"[a-z][a-z0-9_]{1,49}"

CategoryInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da categoria de notificações", "health", f"^{ID}$")
]
