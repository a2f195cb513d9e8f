"""Path parameter: the avatar's id. An invalid id returns 404."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath
from balcao.core.values.ids import UUID_PATTERN

AvatarInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do avatar", "019a7f00-0000-7000-8000-000000000001", f"^{UUID_PATTERN}$")
]
