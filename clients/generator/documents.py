"""The OpenAPI documents that the clients are generated from."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from balcao.developer_portal.descriptions import Document, name_of, read_document

ROOT = Path(__file__).parents[2]
OPENAPI = ROOT / "openapi"
SERVICES = ("registry", "employability", "search", "access", "health_units", "agents", "agent_docs")


def read_documents() -> list[Document]:
    """Return the OpenAPI documents of all services."""
    return [read_document(service, json.loads(path_of(service).read_text("utf-8"))) for service in SERVICES]


def is_boolean(schema: Mapping[str, Any]) -> bool:
    """Return whether a value is a boolean. Query parameters describe booleans as an enumeration of four strings."""
    return schema.get("type") == "boolean" or set(schema.get("enum", ())) == {"0", "1", "false", "true"}


def find_sent(described: Mapping[str, Any]) -> set[str]:
    """Return the names of the schemas that request bodies use, but no response uses."""
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    schemas = described["components"]["schemas"]
    bodies = _reach(schemas, [operation.get("requestBody") for operation in operations])
    return bodies - _reach(schemas, [operation["responses"] for operation in operations])


def _reach(schemas: Mapping[str, Any], pending: list[Any]) -> set[str]:
    """Return the names of all schemas to which these parts of a document refer, directly or indirectly."""
    found: set[str] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            name = name_of(item) if isinstance(item.get("$ref"), str) else None
            if name is not None and name in schemas and name not in found:
                found.add(name)
                pending.append(schemas[name])
            pending += item.values()
    return found


def path_of(service: str) -> Path:
    """Return the path of a service's document."""
    return OPENAPI / f"{service}.json"
