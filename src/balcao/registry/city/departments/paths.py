"""Path parameter: the department's code."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

DepartmentInPath: TypeAlias = Annotated[str, InPath(str, "Código da unidade administrativa", "1100", r"^.{1,50}$")]
