"""Ids in a path: what is none of ours is unknown, whatever its form (rules: registry 2.7)."""

import re
from typing import Annotated, TypeAlias

from balcao.core.errors import NotFound
from balcao.core.http.parameters import InPath

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_EXAMPLE = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"


def path_id(text: str) -> str:
    """Raises NotFound for what cannot be an id."""
    if not re.fullmatch(_UUID, text):
        raise NotFound("Não há registro com este id.", code="id-unknown")
    return text


VehicleId: TypeAlias = Annotated[str, InPath(path_id, "Id do veículo", _EXAMPLE, f"^{_UUID}$")]

ConductorId: TypeAlias = Annotated[str, InPath(path_id, "Id do vínculo de condutor", _EXAMPLE, f"^{_UUID}$")]
