"""The health of the search in the format that portals expect (rules: search 2.3)."""

import time
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest

from tests.support.polling import until_now

Sql = Callable[..., list[asyncpg.Record]]


@pytest.fixture(autouse=True)
def indexed(http: httpx.Client) -> None:
    """Wait for the host's first index, which is built in the background."""
    until_now(lambda: http.get("/search/readiness").json()["checks"]["index"] == "ok")


@pytest.mark.parametrize(("path", "status"), [("readiness", "ready"), ("health", "healthy")])
def test_who_can_serve_says_so_in_words_and_seconds(http: httpx.Client, path: str, status: str) -> None:
    before = int(time.time())
    answer = http.get(f"/search/{path}")
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["status"]) == (200, status)
    assert set(body) == {"status", "timestamp", "checks"}
    assert set(body["checks"].values()) == {"ok"}
    assert before <= body["timestamp"] <= time.time()


def test_the_process_lives_whatever_it_can_serve(http: httpx.Client) -> None:
    before = int(time.time())
    body = http.get("/search/liveness").json()
    assert (set(body), body["status"]) == ({"status", "timestamp"}, "alive")
    assert before <= body["timestamp"] <= time.time()


@pytest.mark.parametrize(("path", "status"), [("readiness", "not_ready"), ("health", "unhealthy")])
def test_what_failed_is_named(http: httpx.Client, sql: Sql, path: str, status: str) -> None:
    sql("UPDATE search.search_collection SET fold_revision = 99")
    try:
        answer = http.get(f"/search/{path}")
    finally:
        sql("UPDATE search.search_collection SET fold_revision = search.fold_revision()")
    body = answer.json()
    assert (answer.status_code, body["status"], body["error"]) == (503, status, "collection")
    assert body["checks"] == {"database": "ok", "snapshot": "ok", "collection": "failed", "index": "ok"}
