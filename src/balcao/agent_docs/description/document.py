"""The OpenAPI document of the agent API, generated from the routes that really run (rules: agents 6)."""

import posixpath

import msgspec

from balcao.agent_docs.description.examples import add_examples, operations_of
from balcao.core.http.openapi import describe
from balcao.core.service import Service

OWN_PATHS = ("/", "/swagger.json")


def document(agents: Service, own: Service, base_url: str = "") -> bytes:
    """The agents' operations and this service's own two, the same bytes at every start.

    `base_url` is the gateway's public address; without one the servers are relative to the document.
    """
    found = describe(agents, [server(base_url, own, agents)])
    ours = describe(own)
    for path in OWN_PATHS:
        found["paths"][path] = ours["paths"][path] | {"servers": [{"url": server(base_url, own, own)}]}
    found["components"]["schemas"] |= ours["components"]["schemas"]
    found["tags"] += [tag for tag in ours["tags"] if tag not in found["tags"]]
    for operation in operations_of(found):
        operation.setdefault("security", [])
    add_examples(found)
    return msgspec.json.encode(found, order="sorted")


def server(base_url: str, own: Service, other: Service) -> str:
    """Where another service is, seen from this one's base."""
    path = other.prefix + other.base
    return base_url + path if base_url else posixpath.relpath(path, own.prefix)
