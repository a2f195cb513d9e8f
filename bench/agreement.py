"""Checks that servers give the same responses, because only then can their figures be compared."""

import http.client
import itertools
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.cases import Case
from bench.load import COUNTED
from bench.servers import Server

# Headers that differ in every response.
_OWN = frozenset({"date", "x-request-id"})
SAMPLE = 8
_numbers = itertools.count(900_000)


class Disagreement(Exception):
    """Raised if two servers give different responses to the same request."""


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]
    has_request_id: bool
    body: Any


def require(case: Case, servers: Sequence[Server]) -> None:
    """Compare the servers' responses to the case's first requests.

    Raises Disagreement if status, headers or body differ.
    """
    first, *others = servers
    for request in case.requests[:SAMPLE]:
        wanted = _ask(first, request, case)
        for other in others:
            if (found := _ask(other, request, case)) != wanted:
                raise Disagreement(f"{case.key}: {first.name} {wanted}, {other.name} {found}")


def _ask(server: Server, request: bytes, case: Case) -> Response:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request.replace(COUNTED, b"%06d" % next(_numbers)))
        received = http.client.HTTPResponse(connection)
        received.begin()
        body = json.loads(received.read() or b"{}")  # the token check's response has no body
    kept = {name: value for name, value in body.items() if name not in case.volatile}
    named = ((name.lower(), value) for name, value in received.headers.items())
    headers = {name: value for name, value in sorted(named) if name not in _OWN}
    return Response(received.status, headers, "x-request-id" in received.headers, kept)
