"""Path parameter: the number of an anonymisation request."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

NumberInPath: TypeAlias = Annotated[
    str, InPath(str, "Número da solicitação de anonimização no CRM", "00000012", r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$")
]
