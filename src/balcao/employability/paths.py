"""The ids in a path: any other form is refused before anything is looked up (rules: employability 2.0.5)."""

import re
from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.http.parameters import InPath
from balcao.core.values.ids import UUID_PATTERN, is_uuid

_INTEGER = r"[0-9]{1,19}"
_LARGEST = 2**63 - 1


def parse_uuid(text: str) -> UUID:
    """Return a UUID of 8-4-4-4-12 hexadecimal digits, in any case. Raises Invalid for anything else."""
    if not is_uuid(text):
        raise Invalid("O `id` do caminho não é um UUID.", code="id-invalid")
    return UUID(text)


def parse_integer(text: str) -> int:
    """Return a number of the path. Raises Invalid for anything but digits, and beyond 64 bits."""
    if not re.fullmatch(_INTEGER, text) or int(text) > _LARGEST:
        raise Invalid("O `id` do caminho não é um número inteiro.", code="id-invalid")
    return int(text)


def uuid_in_path(example: UUID) -> InPath:
    """Describe a UUID in the path; the example is one of the demo data."""
    return InPath(parse_uuid, "Identificador (UUID)", str(example), f"^{UUID_PATTERN}$")


def integer_in_path(example: int) -> InPath:
    """Describe an integer id in the path; the example is one of the demo data."""
    return InPath(parse_integer, "Identificador (número inteiro)", str(example), f"^{_INTEGER}$")


IntegerInPath: TypeAlias = Annotated[int, integer_in_path(12)]
