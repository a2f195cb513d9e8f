"""Response headers for browsers: no sniffing of types, no framing, and only the content that a page declares."""

import base64
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from balcao import app
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.operations import all_operations
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

OTHERS = [("GET", "/"), ("GET", "/docs"), ("GET", "/metrics"), ("GET", "/liveness"), ("GET", "/nothing"),
          ("GET", "/status"), ("GET", "/status.json"), ("GET", "/status.atom"),
          ("OPTIONS", "/registry/v1/citizen/90000000175"), ("PATCH", "/docs"), ("POST", "/auth/backchannel-logout"),
          ("GET", "/registry//v1")]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path"), [*((served.method, served.filled()) for served in all_operations()), *OTHERS]
)
def test_every_answer_says_how_it_may_be_read(http: httpx.Client, method: str, path: str) -> None:
    headers = http.request(method, path).headers
    assert headers.get_list("x-content-type-options") == ["nosniff"]
    [policy] = headers.get_list("content-security-policy")
    assert "default-src 'none'" in policy
    if "sandbox" not in policy:
        assert {"frame-ancestors 'none'", "base-uri 'none'"} <= {part.strip() for part in policy.split(";")}
        assert "form-action" in policy


def test_the_list_of_services_loads_its_own_style_and_nothing_else(http: httpx.Client) -> None:
    page = http.get("/docs")
    [style] = re.findall("<style>(.*?)</style>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page.headers["content-security-policy"]
    assert "<script" not in page.text


def test_the_metrics_are_open_in_the_sandbox(http: httpx.Client) -> None:
    assert http.get("/metrics").status_code == 200


@contextmanager
def metered(settings: Settings, database_url: str, **changes: Any) -> Iterator[httpx.Client]:
    """Yield a client of a server with changed settings, which serves only the agents' service."""
    changed = settings.model_copy(update=changes)
    with (
        RunningServer(
            app.build_application(changed, database_url.replace("//balcao@", "//balcao_app@"), ["agents"])
        ) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        yield client


def test_with_a_token_the_metrics_are_for_who_shows_it(settings: Settings, database_url: str, issuer: Issuer) -> None:
    with metered(settings, database_url, metrics_token=SecretStr("de-quem-mede")) as client:
        assert client.get("/metrics", headers=bearer("de-quem-mede")).status_code == 200
        for shown in ({}, bearer("outro"), bearer(issuer.admin()), {"Authorization": "Basic de-quem-mede"}):
            refused = client.get("/metrics", headers=shown)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_in_production_there_are_no_metrics_without_a_token(settings: Settings, database_url: str) -> None:
    with metered(settings, database_url, profile="production") as client:
        assert client.get("/metrics").status_code == 404
