"""Wire types for the lists that the department maintains: kinds of occurrence, and consequences for a unit."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.core.http.models import Model
from balcao.health_units.texts import PublicText

CODE = r"^[a-z0-9_]{1,40}$"


class Lista(StrEnum):
    OCORRENCIAS = "ocorrencias"
    CONSEQUENCIAS = "consequencias"


class ReferenceValueBody(Model):
    """A value without its code."""

    nome: Annotated[
        PublicText, Field(max_length=100, description="Texto mostrado à equipe.", examples=["Queda de árvore"])
    ]
    ativo: Annotated[
        bool, Field(description="Se pode ser usado; um valor nunca é apagado, porque registros o citam.")
    ] = True


class ReferenceValue(msgspec.Struct, frozen=True):
    """A value of a list."""

    codigo: Annotated[str, Meta(description="Código, permanente.", examples=["queda_de_arvore"])]
    nome: Annotated[str, Meta(description="Texto mostrado à equipe.", examples=["Queda de árvore"])]
    ativo: Annotated[bool, Meta(description="Se pode ser usado em novos registros.", examples=[True])]


class ReferenceValues(msgspec.Struct, frozen=True):
    """All values of a list."""

    itens: Annotated[list[ReferenceValue], Meta(description="Por nome; também os que não se usam mais.")]
