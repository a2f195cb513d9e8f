"""Parameters shared by several lists for operators."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf


def parse_query_cpf(query: Mapping[str, str]) -> Cpf | None:
    """Return the parameter `cpf`, or None if it is missing. Raises Invalid if it is not a valid CPF."""
    if "cpf" not in query:
        return None
    cpf = Cpf.parse_path(query["cpf"])
    if cpf is None:
        raise Invalid("O parâmetro `cpf` deve ser um CPF válido, com 11 dígitos.", code="cpf-invalid")
    return cpf


# A citizen's CPF in a body.
CpfText: TypeAlias = Annotated[
    str, Meta(description="CPF do cidadão, 11 dígitos sem pontuação.", examples=["90000000175"])
]
