"""Wire types for links between staff and departments (rules: registry 2.6)."""

from collections.abc import Mapping
from typing import Annotated, Any, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.values.cpf import Cpf
from balcao.registry.members import CpfDigits, CreatedAt, UpdatedAt


class StaffDepartments(msgspec.Struct):
    """The department codes of a member of staff, in ascending order."""

    cpf: CpfDigits
    cd_uas: Annotated[list[str], Meta(description="Códigos dos órgãos, em ordem crescente.", examples=[["1100"]])]


class StaffMapping(msgspec.Struct):
    """A link between a member of staff and a department.

    `created_by` is the masked CPF of the member of staff who created the link, or null if a machine client created it.
    """

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
        """Return the link stored in this row, with the creator's CPF masked."""
        creator = row["created_by"]
        return cls(**{**row, "created_by": Cpf(creator).masked if creator else None})


class StaffMappings(msgspec.Struct):
    """The links between a member of staff and departments."""

    cpf: CpfDigits
    mappings: Annotated[list[StaffMapping], Meta(description="Vínculos, pelo código do órgão.")]


class StaffMappingBody(msgspec.Struct):
    """The department to which the person is to be linked."""

    cd_ua: Annotated[str, Meta(description="Código do órgão a vincular.", examples=["1100"])]
