"""Ids of vehicles and driver links in a path: a text that cannot be one is unknown (rules: registry 2.7)."""

import re
from typing import Annotated, TypeAlias

from balcao.core.errors import NotFound
from balcao.core.http.parameters import InPath

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_EXAMPLE = "0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"


def parse_id(text: str) -> str:
    """Return the id as it came. Raises NotFound for what cannot be one."""
    if not re.fullmatch(_UUID, text):
        raise NotFound("Não há registro com este id.", code="id-unknown")
    return text


VehicleId: TypeAlias = Annotated[str, InPath(parse_id, "Id do veículo", _EXAMPLE, f"^{_UUID}$")]

ConductorId: TypeAlias = Annotated[str, InPath(parse_id, "Id do vínculo de condutor", _EXAMPLE, f"^{_UUID}$")]
