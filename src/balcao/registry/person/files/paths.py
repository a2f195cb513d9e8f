"""Path parameter: the id of a file. An invalid id raises NotFound, because no file has it."""

from typing import Annotated, TypeAlias
from uuid import UUID

from balcao.core.errors import NotFound
from balcao.core.http.parameters import uuid_in_path

EXAMPLE = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e71"


def unknown_file() -> NotFound:
    """Return the error for a file that does not exist or belongs to another person."""
    return NotFound("Não há arquivo com este id.", code="file-unknown")


FileInPath: TypeAlias = Annotated[UUID, uuid_in_path("Id do arquivo", EXAMPLE, unknown_file)]
