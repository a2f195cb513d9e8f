"""Generate the OpenAPI document of the agent API from the routes that are served (rules: agents 6)."""

import posixpath

import msgspec

from balcao.agent_docs.description.examples import add_examples, list_operations
from balcao.core.http.openapi import describe_api
from balcao.core.http.shared_refusals import share_refusals
from balcao.core.service import Service

OWN_PATHS = ("/", "/swagger.json")


def build_document(agents: Service, own: Service, base_url: str = "") -> bytes:
    """Return the document as JSON: the agents' operations, and the two operations of this service.

    The same arguments always produce the same bytes. `base_url` is the gateway's public address. If it is empty, the
    server addresses are relative to the document.
    """
    found = describe_api(agents, [build_server_url(base_url, own, agents)])
    ours = describe_api(own)
    for path in OWN_PATHS:
        found["paths"][path] = ours["paths"][path] | {"servers": [{"url": build_server_url(base_url, own, own)}]}
    found["components"]["schemas"] |= ours["components"]["schemas"]
    found["tags"] += [tag for tag in ours["tags"] if tag not in found["tags"]]
    for operation in list_operations(found):
        operation.setdefault("security", [])
    add_examples(found)
    share_refusals(found)
    return msgspec.json.encode(found, order="sorted")


def build_server_url(base_url: str, own: Service, other: Service) -> str:
    """Return the address of another service. If `base_url` is empty, it is relative to this service's address."""
    path = other.prefix + other.base
    return base_url + path if base_url else posixpath.relpath(path, own.prefix)
