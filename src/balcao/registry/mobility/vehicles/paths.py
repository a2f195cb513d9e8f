"""Ids in a path: what is none of ours is unknown, whatever its form (rules: registry 2.7)."""

import re

from balcao.core.errors import NotFound
from balcao.core.http.operations import path_text

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_EXAMPLE = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"

VehicleId = path_text(f"^{_UUID}$", "Id do veículo", _EXAMPLE)
ConductorId = path_text(f"^{_UUID}$", "Id do vínculo de condutor", _EXAMPLE)


def path_id(text: str) -> str:
    """Raises NotFound for what cannot be an id."""
    if not re.fullmatch(_UUID, text):
        raise NotFound("Não há registro com este id.", code="id-unknown")
    return text
