"""The committed OpenAPI documents. `tests/cli/test_openapi.py` checks that they match the code."""

import json
from pathlib import Path
from typing import Any

from balcao.core.service import Service

DESCRIPTIONS = Path(__file__).parents[2] / "openapi"


def read_description(service: Service) -> dict[str, Any]:
    """Return the document of a service. Generating it would take half a second."""
    described: dict[str, Any] = json.loads((DESCRIPTIONS / f"{service.name}.json").read_bytes())
    return described
