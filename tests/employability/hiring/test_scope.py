"""The jobs that an editor may access, also while the registry is down (rules: employability 2.0, 4.6)."""

from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.employability.hiring.departments import scope
from balcao.settings import Settings
from tests.employability.hiring.callers import ADMIN, EDITOR, FOREIGN, HELIO, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE, describe_job
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer


@pytest.fixture
def always_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "FRESH_SECONDS", 0.0)


@pytest.fixture
def lost(settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    """Yield a client of a service whose registry cannot be reached."""
    alone = settings.model_copy(update={"registry_url_override": "http://127.0.0.1:1/registry/v1"})
    with (
        RunningServer(app.build_application(alone, database_url, [SERVICE.name])) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        yield client


def test_links_that_were_never_read_are_not_guessed(lost: httpx.Client, callers: Callers) -> None:
    answer = lost.get(BASE, headers=callers[EDITOR])
    assert (answer.status_code, answer.headers["Error-Code"], "Retry-After" in answer.headers) == (
        503,
        "service-away",
        True,
    )
    assert lost.get(BASE, headers=callers[ADMIN]).status_code == 200


def test_links_are_usable_for_a_while_when_the_registry_is_lost(
    settings: Settings,
    database_url: str,
    callers: Callers,
    create: Create,
    always_asked: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    id_ = create()["id"]
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as registry:
        asking = settings.model_copy(update={"registry_url_override": f"{registry.url}/registry/v1"})
        with (
            RunningServer(app.build_application(asking, database_url, [SERVICE.name])) as running,
            httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
        ):
            assert client.get(f"{BASE}/{id_}", headers=callers[EDITOR]).status_code == 200
            registry.__exit__()
            assert client.get(f"{BASE}/{id_}", headers=callers[EDITOR]).status_code == 200
            assert client.get(f"{BASE}/{id_}", headers=callers[FOREIGN]).status_code == 503
            monkeypatch.setattr(scope, "USABLE_SECONDS", 0.0)
            assert client.get(f"{BASE}/{id_}", headers=callers[EDITOR]).status_code == 503


def test_a_link_that_is_removed_reaches_no_further(
    http: httpx.Client, callers: Callers, create: Create, sql: Sql, always_asked: None
) -> None:
    id_ = create()["id"]
    headers = callers[EDITOR]
    assert http.get(f"{BASE}/{id_}", headers=headers).status_code == 200
    sql("DELETE FROM registry.staff_department WHERE cpf = $1", HELIO)
    assert http.get(f"{BASE}/{id_}", headers=headers).status_code == 404
    assert http.get(BASE, headers=headers).json()["data"] == []
    assert http.post(BASE, json=describe_job(), headers=headers).status_code == 403
