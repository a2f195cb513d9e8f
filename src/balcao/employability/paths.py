"""Ids in paths. Malformed ids are rejected before any lookup (rules: employability 2.0.5)."""

from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.http import parameters
from balcao.core.http.parameters import InPath
from balcao.core.values.ids import parse_int64


def parse_positive_integer(text: str) -> int:
    """Parse an integer in a path. Raises Invalid unless it consists of digits and fits into 64 bits."""
    found = parse_int64(text)
    if found is None:
        raise Invalid("O `id` do caminho não é um número inteiro.", code="id-invalid")
    return found


def uuid_in_path(example: UUID, description: str = "Identificador (UUID)") -> InPath:
    """Describe a UUID in a path. `example` is an id of the demo data."""
    return parameters.uuid_in_path(
        description, str(example), lambda: Invalid("O `id` do caminho não é um UUID.", code="id-invalid")
    )


def integer_in_path(example: int) -> InPath:
    """Describe an integer id in a path. `example` is an id of the demo data."""
    return InPath(parse_positive_integer, "Identificador (número inteiro)", str(example), r"^[0-9]{1,19}$")


IntegerInPath: TypeAlias = Annotated[int, integer_in_path(12)]
