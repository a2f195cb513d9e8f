"""The demo city's request types, from the same file for the registry and for the service catalogue.

The catalogue promises the deadline of the request type, so that both always agree.
"""

import tomllib
import uuid
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

# The id of the service that appears in the examples of the API descriptions, by name.
_KNOWN_IDS = {"Pedido de poda de árvore": "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"}
_NAMESPACE = uuid.UUID("0d5c3d0c-6d58-4f6e-9d3b-6b1b4a0c2026")


def make_service_id(name: str) -> str:
    """Return the id of a demo service. It is the same in every sandbox."""
    return _KNOWN_IDS.get(name) or str(uuid.uuid5(_NAMESPACE, name))


def read_requests() -> Mapping[str, Any]:
    """Return the request types and the requests. Each type has its service's id in the place of the service's name."""
    rows = tomllib.loads(files(__package__).joinpath("registry", "requests.toml").read_text("utf-8"))
    for row in rows["type"]:
        row["service_id"] = make_service_id(row.pop("service"))
    return rows


def find_deadlines() -> Mapping[str, int]:
    """Return the deadline in days of each request type, by the id of its service."""
    return {row["service_id"]: row["deadline_days"] for row in read_requests()["type"]}
