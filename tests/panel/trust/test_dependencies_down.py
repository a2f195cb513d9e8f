"""Each dependency of the panel fails in turn.

Pages report the failure, nothing is lost, and the panel recovers without help.
"""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from balcao.core.database import connections, pool
from balcao.panel.areas import PAGES
from balcao.settings import Settings
from tests.support.cuttable_connection import Line
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.sandbox import ADMIN, EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

pytestmark = pytest.mark.long

IN_MENU = [page.address() for page in PAGES.values() if page.in_menu and page.method == "GET"]
GROUP = "/painel/acessos/grupos/novo"


@pytest.fixture(scope="module", autouse=True)
def impatient(sandbox: Sandbox) -> Iterator[None]:
    """Restore production's short waits for a database that is down. Other tests wait longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "ACQUIRE_SECONDS", 2.0)
        patch.setattr(pool, "SERVING_SECONDS", 2.7)
        yield


@pytest.fixture(scope="module")
def database_line(database_url: str) -> Iterator[Line]:
    parts = urlsplit(database_url)
    place = {name: values[0] for name, values in parse_qs(parts.query).items()}
    with Line(free_port(), f"{place['host']}/.s.PGSQL.{place['port']}") as opened:
        yield opened


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str, database_line: Line) -> Iterator[Sandbox]:
    parts = urlsplit(database_url)
    address = f"postgresql://{parts.username}@127.0.0.1:{database_line.port}{parts.path}?sslmode=disable"
    with running(settings, address, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


@pytest.fixture
def kleber(panel: PanelClient) -> PanelClient:
    panel.login("kleber")
    return panel


@pytest.fixture
def panel(sandbox: Sandbox) -> Iterator[PanelClient]:
    with PanelClient(sandbox.url) as opened:
        yield opened


def list_groups(sandbox: Sandbox, name: str) -> list[str]:
    token = sandbox.tokens.person(ADMIN)
    found = sandbox.http.get("/access/api/v1/groups", params={"prefix": name}, headers=bearer(token)).json()
    return [each["name"] for each in found]


def test_services_that_are_away_are_said_on_every_page_and_are_there_again(kleber: PanelClient, line: Line) -> None:
    line.cut()
    for address in IN_MENU:
        answer = kleber.get(address)
        assert (address, answer.status_code, kleber.page.heading) == (address, 503, "O serviço não respondeu")
        assert "tente de novo em instantes" in kleber.page.text[-900:]
        assert answer.headers["retry-after"] == "5"
    line.mend()
    assert [address for address in IN_MENU if kleber.get(address).status_code != 200] == []


@pytest.mark.parametrize("away", ["line", "database_line"])
def test_a_form_that_was_sent_meanwhile_keeps_its_text_and_is_sent_once(
    request: pytest.FixtureRequest, kleber: PanelClient, sandbox: Sandbox, away: str
) -> None:
    cut: Line = request.getfixturevalue(away)
    name = f"prova:{away.replace('_', ':')}"
    kleber.get(GROUP)
    form = kleber.find_form(GROUP)
    cut.cut()
    answer = kleber.post(GROUP, form.values | {"name": name, "description": "Da “prova” <b>"})
    assert answer.status_code == 503
    assert "não se perdeu" in kleber.page.text[-900:]
    listed = kleber.page.text.partition("O que você escreveu")[2]
    assert "Da “prova” <b>" in listed
    assert "description" not in listed
    kept = kleber.find_form(GROUP)
    assert kept.values["description"] == "Da “prova” <b>"
    assert kleber.post(GROUP, kept.values).status_code == 503  # the dependency is still down
    kept = kleber.find_form(GROUP)
    cut.mend()
    for _ in range(2):  # sent twice, as by a double click
        assert kleber.post(GROUP, kept.values).status_code == 200, kleber.page.text[-900:]
    assert list_groups(sandbox, name) == [name]


@pytest.mark.parametrize("away", ["line", "database_line"])
def test_a_form_too_large_to_be_repeated_is_sent_again_by_the_browser(
    request: pytest.FixtureRequest, kleber: PanelClient, away: str
) -> None:
    cut: Line = request.getfixturevalue(away)
    document = "/painel/acessos/documento"
    kleber.get(document)
    form = kleber.find_form(document)
    cut.cut()
    answer = kleber.post(document, form.values | {"document": "x" * 300_000})
    cut.mend()
    assert answer.status_code == 503
    assert "recarregue esta página" in kleber.page.text
    assert len(answer.content) < 300_000


def test_what_another_site_sends_meanwhile_is_repeated_to_nobody(kleber: PanelClient, line: Line) -> None:
    line.cut()
    answer = kleber.http.post(GROUP, data={"name": "Ligue já"}, headers={"Origin": "https://mal.example"})
    line.mend()
    assert "Ligue já" not in answer.text


def test_a_database_that_is_away_is_said_and_the_session_lasts(kleber: PanelClient, database_line: Line) -> None:
    database_line.cut()
    answer = kleber.get("/painel/conta")
    assert answer.status_code == 503
    assert "tente de novo" in kleber.page.text.lower()
    assert answer.headers["cache-control"] == "no-store"
    database_line.mend()
    assert kleber.get("/painel/conta").status_code == 200


def test_a_crm_that_is_away_is_said_where_it_is_meant_and_nowhere_else(kleber: PanelClient, sandbox: Sandbox) -> None:
    sandbox.crm.faults({"mode": "error", "status": 503})
    try:
        for address in IN_MENU:
            assert (address, kleber.get(address).status_code) == (address, 200)
    finally:
        sandbox.crm.reset()
