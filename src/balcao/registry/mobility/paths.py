"""Path parameters: the ids of vehicles and driver links. An invalid id raises NotFound (rules: registry 2.7)."""

from typing import Annotated, TypeAlias

from balcao.core.errors import NotFound
from balcao.core.http.parameters import InPath
from balcao.core.values.ids import UUID_PATTERN, is_uuid

_EXAMPLE = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"


def parse_id(text: str) -> str:
    """Return the id if it is valid. Raises NotFound otherwise."""
    if not is_uuid(text):
        raise NotFound("Não há registro com este id.", code="id-unknown")
    return text


VehicleId: TypeAlias = Annotated[str, InPath(parse_id, "Id do veículo", _EXAMPLE, f"^{UUID_PATTERN}$")]

ConductorId: TypeAlias = Annotated[str, InPath(parse_id, "Id do vínculo de condutor", _EXAMPLE, f"^{UUID_PATTERN}$")]
