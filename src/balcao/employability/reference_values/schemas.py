"""Wire types of the reference values."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.schemas import CreatedAt, UpdatedAt


class ReferenceValue(msgspec.Struct):
    """A reference value: an availability or a work model (spec: employability records)."""

    id: Annotated[
        UUID,
        Meta(description="Identificador (UUID), em minúsculas.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]),
    ]
    descricao: Annotated[str, Meta(description="Texto mostrado às pessoas.", examples=["Remoto"])]
    created_at: CreatedAt
    updated_at: UpdatedAt


class ReferenceBody(msgspec.Struct):
    """`id`, `created_at` and `updated_at` may be sent and are ignored."""

    descricao: Annotated[
        str,
        Meta(description="Texto novo, de 1 a 255 caracteres, único entre as disponibilidades.", examples=["Imediata"]),
    ]
