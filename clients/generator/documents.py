"""The OpenAPI documents of the source, which the clients are made of."""

import json
from pathlib import Path

from balcao.gateway.portal.descriptions import Document, read_document

ROOT = Path(__file__).parents[2]
OPENAPI = ROOT / "openapi"
SERVICES = ("registry", "employability", "search", "access", "health_units", "agents", "agent_docs")


def read_documents() -> list[Document]:
    """Return the documents of all services, as they stand in `openapi/`."""
    return [read_document(service, json.loads(path_of(service).read_text("utf-8"))) for service in SERVICES]


def path_of(service: str) -> Path:
    """Return the file of a service's document."""
    return OPENAPI / f"{service}.json"
