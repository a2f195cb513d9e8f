"""Wire types for the reference values."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.database.pool import Row
from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.reference_values.kinds import RANKED
from balcao.employability.schemas import CreatedAt, UpdatedAt

MOST_PER_PAGE = 1000
DEFAULT_PER_PAGE = 100
LAST_POSITION = 32_767


class ReferenceValue(msgspec.Struct):
    """A reference value, such as a work model (spec: employability records). Only ranked kinds have `ordem`."""

    id: Annotated[
        UUID,
        Meta(description="Identificador (UUID), em minúsculas.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]),
    ]
    descricao: Annotated[str, Meta(description="Texto mostrado às pessoas.", examples=["Remoto"])]
    created_at: CreatedAt
    updated_at: UpdatedAt
    ordem: Annotated[
        int | UnsetType,
        Meta(description="Lugar na ordem crescente; só em `escolaridades` e `niveis-idioma`.", examples=[4]),
    ] = UNSET

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Create the value from a row that has the columns `kind` and `posicao`."""
        ranked = row["kind"] in RANKED
        return cls(
            row["id"], row["descricao"], row["created_at"], row["updated_at"], row["posicao"] if ranked else UNSET
        )


class ReferenceValues(msgspec.Struct):
    """A page of reference values of one kind, sorted by position."""

    data: Annotated[list[ReferenceValue], Meta(description="Valores da página, na ordem da tabela.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class ReferenceQuery(msgspec.Struct):
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 1000 vale 1000.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE


class ReferenceBody(msgspec.Struct):
    """A value in a request. Clients may also send `id`, `created_at` and `updated_at`, which are ignored."""

    descricao: Annotated[str, Meta(description="Texto, de 1 a 255 caracteres, único na tabela.", examples=["Imediata"])]
    ordem: Annotated[
        int | None,
        Meta(
            description="Lugar na ordem, de 1 a 32767; só vale em `escolaridades` e `niveis-idioma`. Ausente: no fim, "
            "ou o lugar de antes.",
            examples=[4],
        ),
    ] = None
