"""Parsers of the CPF in a path and of the parameters that operators' lists have in common."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean


def parse_path_cpf(text: str) -> Cpf:
    """Return the CPF of a path.

    Raises Invalid: whoever gets here with another text passed the rule by something else than ownership.
    """
    cpf = Cpf.parse_path(text)
    if cpf is None:
        raise Invalid("O CPF do caminho é inválido: use 11 dígitos.", code="cpf-invalid")
    return cpf


def parse_query_cpf(query: Mapping[str, str]) -> Cpf | None:
    """Return the parameter `cpf`, None when it is not there. Raises Invalid."""
    if "cpf" not in query:
        return None
    cpf = Cpf.parse_path(query["cpf"])
    if cpf is None:
        raise Invalid("O parâmetro `cpf` deve ser um CPF válido, com 11 dígitos.", code="cpf-invalid")
    return cpf


def parse_query_text(query: Mapping[str, str], name: str, longest: int = 100) -> str | None:
    """Return a parameter to compare with, None when it is not there. Raises Invalid naming it."""
    return clean(name, query[name], longest=longest) if name in query else None


CpfInPath: TypeAlias = Annotated[
    Cpf,
    InPath(
        parse_path_cpf,
        "CPF do cidadão, com ou sem pontuação",
        "90000000175",
        r"^([0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})$",
    ),
]

# A citizen's number as bodies carry it.
CpfText: TypeAlias = Annotated[
    str, Meta(description="CPF do cidadão, 11 dígitos sem pontuação.", examples=["90000000175"])
]
