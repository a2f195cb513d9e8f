"""Path parameter: the id of a request type."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath
from balcao.registry.requests.types.schemas import TYPE_ID

TypeInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do tipo de pedido", "buraco_na_rua", f"^{TYPE_ID}$")]
