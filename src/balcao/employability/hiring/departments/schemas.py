"""Wire type of a job's department (rules: employability 3.3)."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Department(msgspec.Struct, frozen=True):
    """A department of the city hall. Until its record is read from the registry, only `cd_ua` is set."""

    orgao_id: Annotated[str | None, Meta(description="Id do órgão no cadastro.", examples=["1100"])]
    cd_ua: Annotated[str, Meta(description="Código da unidade administrativa.", examples=["1100"])]
    name: Annotated[str | None, Meta(description="Nome.", examples=["Secretaria de Saúde"])]
    sigla: Annotated[str | None, Meta(description="Sigla.", examples=["SMS"])]
