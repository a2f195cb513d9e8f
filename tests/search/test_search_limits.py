"""The rate limits of the search, and the search while the database is down (rules: search 4.6, 5)."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from balcao import app
from balcao.search.feedback import api as feedback
from balcao.search.index import public_index
from balcao.search.public_search import responses
from balcao.settings import Settings
from tests.search.stage import Stage
from tests.search.support import refusal
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

V1, V2, SUGGEST = "/search/api/v1/search", "/search/api/v2/search", "/search/api/v1/search/suggest"
ALLOWED = 100  # the sandbox multiplies the rates of the code by this factor
PORTAL = "203.0.113.7"

Ask = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        trusted_proxies_csv="127.0.0.1",
        search_portals_csv=PORTAL,
    )


@pytest.fixture
def ask(http: httpx.Client) -> Ask:
    """Return a function that searches from an address."""

    def run(address: str, path: str = V1, token: str | None = None) -> httpx.Response:
        headers = {"X-Forwarded-For": address} | (bearer(token) if token else {})
        return http.get(path, params={"q": "poda"}, headers=headers)

    return run


@pytest.fixture
def one_call_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "RATE", "1/hour")
    monkeypatch.setattr(responses, "PORTAL_RATE", "2/hour")


@pytest.mark.usefixtures("one_call_an_hour")
def test_an_address_that_asks_too_often_is_told_when_to_come_again(ask: Ask, issuer: Issuer) -> None:
    paths = [V1, V2, SUGGEST]
    for number in range(ALLOWED):
        assert ask("203.0.113.1", paths[number % 3]).status_code == 200
    for path in paths:  # all paths share one count
        refused = ask("203.0.113.1", path)
        assert (*refusal(refused), list(refused.json())) == (429, "too-many", ["error"])
        assert int(refused.headers["Retry-After"]) > 0
    # Only a machine's token with the scope changes which caller is counted.
    tokens = [
        issuer.person("90000000175"),
        issuer.machine("painel-saude", "catalogo:read"),
        issuer.admin(exp=1),
        "x.y.z",
    ]
    assert {ask("203.0.113.1", token=token).status_code for token in tokens} == {429}
    assert ask("203.0.113.2").status_code == 200


@pytest.mark.usefixtures("one_call_an_hour")
def test_portals_and_machines_with_the_scope_ask_more_often(ask: Ask, issuer: Issuer) -> None:
    machine = issuer.machine("portal-cidadao", "busca:search")
    for _ in range(2 * ALLOWED):
        assert ask(PORTAL).status_code == 200
        assert ask("203.0.113.3", token=machine).status_code == 200
    assert ask(PORTAL).status_code == 429
    assert ask("203.0.113.4", token=machine).status_code == 429  # counted for the machine, not the address
    assert ask("203.0.113.3").status_code == 200


def test_feedback_is_counted_for_its_address_or_its_portal(
    http: httpx.Client, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feedback, "RATE", "1/hour")
    monkeypatch.setattr(feedback, "PORTAL_RATE", "2/hour")
    machine = bearer(issuer.machine("portal-cidadao", "busca:search"))

    def give(address: str, headers: dict[str, str] | None = None) -> httpx.Response:
        given = {"X-Forwarded-For": address} | (headers or {})
        return http.post("/search/api/v1/services/nada/feedback", json={"helpful": True}, headers=given)

    assert [give("203.0.113.21").status_code for _ in range(ALLOWED)] == [404] * ALLOWED
    refused = give("203.0.113.21")
    assert refusal(refused) == (429, "too-many")
    assert int(refused.headers["Retry-After"]) > 0
    assert give("203.0.113.22").status_code == 404
    assert [give("203.0.113.21", machine).status_code for _ in range(2 * ALLOWED)] == [404] * 2 * ALLOWED
    assert give("203.0.113.23", machine).status_code == 429


def test_a_search_needs_no_database(http: httpx.Client, stage: Stage) -> None:
    """The index answers while the collection is locked. Citizens find services even while the database is down."""
    physical = stage.run(stage.owner.fetchval("SELECT physical FROM search.search_collection"))
    assert http.get(V1, params={"q": "antes"}).status_code == 200  # caches the synonyms
    stage.run(stage.owner.execute("BEGIN"))
    stage.run(stage.owner.execute(f"LOCK TABLE search.{physical}, search.synonyms IN ACCESS EXCLUSIVE MODE"))
    try:
        for path in (V1, V2, SUGGEST):
            assert http.get(path, params={"q": f"demora {path}"}).status_code == 200
    finally:
        stage.run(stage.owner.execute("ROLLBACK"))


def test_a_host_that_cannot_write_an_index_says_so(
    settings: Settings, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_index, "FIRST_INDEX_SECONDS", 0.1)
    (tmp_path / "search").write_text("a file where the index needs a folder")
    broken = settings.model_copy(update={"data_dir": tmp_path})
    with (
        RunningServer(app.build_application(broken, database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        for path in (V1, V2, SUGGEST):
            refused = client.get(path, params={"q": "poda"})
            assert (*refusal(refused), list(refused.json())) == (503, "index-missing", ["error"])
        ready = client.get("/search/readiness")
        assert (ready.status_code, ready.json()["checks"]["index"]) == (503, "failed")
