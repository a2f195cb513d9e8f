"""Path parameter: the limit's name."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

LimitInPath: TypeAlias = Annotated[
    str, InPath(str, "Nome do limite", "registry.read_preferences", r"^[A-Za-z][A-Za-z0-9_.:]{1,99}$")
]
