"""Path parameter: the id of a reconciliation run."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

RunInPath: TypeAlias = Annotated[str, InPath(str, "Id da execução", "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f")]
