"""Path parameter: the job's number."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

JobInPath: TypeAlias = Annotated[str, InPath(str, "Número da tarefa", "4711", r"^[1-9][0-9]{0,17}$")]
