"""Caching a path does not change which endpoint it reaches, and the cache is bounded."""

import functools
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import Endpoint, PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.gateway import gateway as gateways
from balcao.gateway.gateway import Gateway, Mount
from tests.support.single_services import no_pages

ROUTES = [
    ("GET", "/units"),
    ("GET", "/units/{id}"),
    ("PUT", "/units/{id}"),
    ("GET", "/units/{id}/risk"),
    ("GET", "/units/all/{id}"),
    ("GET", "/{anything}"),
]
SEGMENTS = st.sampled_from(["units", "all", "risk", "7", "8", "a%20b", "%2e%2e", "a%2Fb", "..", "", "x" * 130])
METHODS = ["GET", "HEAD", "PUT", "OPTIONS"]
PATHS = st.one_of(
    st.sampled_from(["/units", "/units/7", "/units/7/", "/units/7/risk", "/units/all/7", "/seven", "/a%20b"]),
    st.lists(SEGMENTS, max_size=4).map(lambda segments: "/".join(["", *segments])),
).map(lambda path: f"/health{path}".encode())


@functools.cache
def make_mount() -> Mount:
    endpoints: list[tuple[str, str, Endpoint]] = [
        (method, path, PageEndpoint("test", f"{method} {path}", method, lambda _: Response(), lambda *_: Response()))
        for method, path in ROUTES
    ]
    return Mount("test", "/health", endpoints, lambda _: ERROR_TEXT)


def make_gateway() -> Gateway:
    return Gateway([make_mount()], no_pages(), nullcontext)


def follow(gateway: Gateway, method: str, path: bytes) -> tuple[str, str, list[str]]:
    """Return the matched endpoint or refusal, and the path values of the request."""
    request = Request(method, path)
    endpoint = gateway.match(request)
    return f"{type(endpoint).__name__} {endpoint.allow} {endpoint.key}", request.prefix, list(request.path_values)


@given(st.lists(PATHS, min_size=1, max_size=5), st.permutations(METHODS))
def test_what_was_asked_before_changes_nothing(paths: list[bytes], methods: list[str]) -> None:
    gateway = make_gateway()
    for path in [*paths, *paths]:
        for method in methods:
            assert follow(gateway, method, path) == follow(make_gateway(), method, path)


def test_other_paths_push_out_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateways, "KNOWN_PATHS", 10)
    gateway = make_gateway()
    for number in range(100):
        path = f"/health/units/{number}".encode()
        assert follow(gateway, "GET", path) == follow(gateway, "GET", path)
        assert len(gateway._known) <= 10 + len(gateway._declared)
    assert follow(gateway, "GET", b"/health/units")[0].endswith("GET /units")
