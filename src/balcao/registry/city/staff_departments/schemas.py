"""Wire types of the links between staff and departments (rules: registry 2.6)."""

from datetime import datetime
from uuid import UUID

import msgspec


class StaffDepartments(msgspec.Struct):
    """The codes alone, ascending."""

    cpf: str
    cd_uas: list[str]


class StaffMapping(msgspec.Struct):
    """`created_by` is the masked CPF of the staff member who made the link; null when a machine made it."""

    id: UUID
    cpf: str
    cd_ua: str
    created_at: datetime
    updated_at: datetime
    created_by: str | None


class StaffMappings(msgspec.Struct):
    cpf: str
    mappings: list[StaffMapping]


class StaffMappingBody(msgspec.Struct):
    cd_ua: str
