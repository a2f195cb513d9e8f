"""Path parameter: the service's name."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

ServiceInPath: TypeAlias = Annotated[str, InPath(str, "Nome do serviço", "search", r"^[a-z_]{2,40}$")]
