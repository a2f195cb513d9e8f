"""Wire types of the links between staff and departments (rules: registry 2.6)."""

from collections.abc import Mapping
from typing import Annotated, Any, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.values.cpf import Cpf
from balcao.registry.members import CpfDigits, CreatedAt, UpdatedAt


class StaffDepartments(msgspec.Struct):
    """The departments of a staff member: the codes alone, ascending."""

    cpf: CpfDigits
    cd_uas: Annotated[list[str], Meta(description="Códigos dos órgãos, em ordem crescente.", examples=[["1100"]])]


class StaffMapping(msgspec.Struct):
    """`created_by` is the masked CPF of the staff member who made the link; null when a machine made it."""

    id: Annotated[UUID, Meta(description="Id do vínculo.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"])]
    cpf: CpfDigits
    cd_ua: Annotated[str, Meta(description="Código do órgão.", examples=["1100"])]
    created_at: CreatedAt
    updated_at: UpdatedAt
    created_by: Annotated[
        str | None,
        Meta(
            description="CPF mascarado de quem criou o vínculo; nulo quando foi um sistema.",
            examples=["***.000.001-**"],
        ),
    ]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the link of a row, where the CPF stands whole."""
        creator = row["created_by"]
        return cls(**{**row, "created_by": Cpf(creator).masked if creator else None})


class StaffMappings(msgspec.Struct):
    """The links between a staff member and departments."""

    cpf: CpfDigits
    mappings: Annotated[list[StaffMapping], Meta(description="Vínculos, pelo código do órgão.")]


class StaffMappingBody(msgspec.Struct):
    """The department to link to."""

    cd_ua: Annotated[str, Meta(description="Código do órgão a vincular.", examples=["1100"])]
