"""Tests for the health check."""

import httpx
import pytest

from balcao import __version__, app
from balcao.settings import Settings
from tests.support import databases
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer


@pytest.mark.cases("registry", "H2")
def test_everything_up(http: httpx.Client) -> None:
    answer = http.get("/registry/v1/health")
    body = answer.json()
    assert (answer.status_code, set(body)) == (200, {"services", "status", "timestamp", "version"})
    assert (body["status"], body["version"]) == (True, __version__)
    assert set(body["services"]) == {"datastore", "cache"}
    assert all(set(part) == {"status", "message", "timestamp"} and part["status"] for part in body["services"].values())


@pytest.mark.cases("registry", "H2")
def test_without_the_shared_cache_the_service_goes_on_and_says_so(settings: Settings, database_url: str) -> None:
    lost = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    with RunningServer(app.build_application(lost, database_url)) as running:
        answer = httpx.get(f"{running.url}/registry/v1/health", timeout=PATIENCE)
    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["services"]["cache"]["status"]) == (False, False)


@pytest.mark.cases("registry", "H2")
def test_without_the_data_store_it_is_unavailable(settings: Settings) -> None:
    name = databases.new_name()
    url = databases.create(name)
    with RunningServer(app.build_application(settings, url)) as running:
        databases.drop(name)
        answer = httpx.get(f"{running.url}/registry/v1/health", timeout=PATIENCE)
        readiness = httpx.get(f"{running.url}/registry/v1/readiness", timeout=PATIENCE)
    assert (*refusal(answer), set(answer.json())) == (503, "store-away", {"error"})
    assert readiness.status_code == 503
