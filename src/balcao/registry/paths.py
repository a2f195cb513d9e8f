"""The CPF in a path, checked before the rule and read here by the use cases; parameters of an operator's lists."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean


def path_cpf(text: str) -> Cpf:
    """Raises Invalid: whoever gets here passed the rule by something else than ownership."""
    cpf = Cpf.parse_path(text)
    if cpf is None:
        raise Invalid("O CPF do caminho é inválido: use 11 dígitos.", code="cpf-invalid")
    return cpf


def query_cpf(query: Mapping[str, str]) -> Cpf | None:
    """The parameter `cpf` of an operator's list, None when it is not there. Raises Invalid."""
    if "cpf" not in query:
        return None
    cpf = Cpf.parse_path(query["cpf"])
    if cpf is None:
        raise Invalid("O parâmetro `cpf` deve ser um CPF válido, com 11 dígitos.", code="cpf-invalid")
    return cpf


def query_text(query: Mapping[str, str], name: str, longest: int = 100) -> str | None:
    """A parameter to compare with, None when it is not there. Raises Invalid."""
    return clean(name, query[name], longest=longest) if name in query else None


CpfInPath: TypeAlias = Annotated[
    Cpf,
    InPath(
        path_cpf,
        "CPF do cidadão, com ou sem pontuação",
        "90000000175",
        r"^([0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})$",
    ),
]

# A citizen's number as bodies carry it.
CpfText: TypeAlias = Annotated[
    str, Meta(description="CPF do cidadão, 11 dígitos sem pontuação.", examples=["90000000175"])
]
