"""A developer logs in on an API's page, searches, and sees who may call an operation. The page is accessible."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from balcao import app
from balcao.core.service import Service
from balcao.settings import Settings
from tests.pages.window import Window
from tests.sandbox.identity.provider import person
from tests.support import npm_tools
from tests.support.demo_people import ANA
from tests.support.proof_sizes import FULL
from tests.support.server import RunningServer, free_port

pytestmark = [pytest.mark.page, pytest.mark.long]

REGISTRY = "/registry/v1/docs"
SMALL = "/health-units/docs"
# The pages differ only in their operations, so ordinary runs check only one of them.
SHOWN = app.SERVICES if FULL else app.choose_services(["health_units"])


@pytest.fixture(scope="module")
def address(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a gateway with the embedded provider. The pages log in with its demo client."""
    settings = Settings(port=free_port(), data_dir=tmp_path_factory.mktemp("data"))
    with RunningServer(app.build_application(settings, database_url), settings.port) as running:
        yield running.url


def test_a_person_logs_in_and_their_token_goes_with_the_calls(window: Window) -> None:
    window.page.goto(REGISTRY)
    window.page.get_by_role("button", name="Entrar").click()
    window.page.locator('input[name="username"]').fill(person(ANA).username)
    window.page.locator('input[name="password"]').fill(person(ANA).password)
    window.page.locator("form button, form input[type=submit]").first.click()
    expect(window.page.get_by_role("status")).to_have_text("Sessão de Ana Beatriz Moreira.")
    assert window.page.url.endswith(REGISTRY)
    path = "/citizen/{cpf}/notification-preferences"
    window.page.locator(f'.opblock-get:has([data-path="{path}"]) .opblock-summary-control').click()
    expect(window.page.locator(".response-control-media-type__accept-message").first).to_have_text(
        "Define o cabeçalho Accept"
    )
    window.page.get_by_role("button", name="Experimentar").click()
    window.page.locator('tr[data-param-name="cpf"] input').fill(ANA)
    window.page.get_by_role("button", name="Executar").click()
    answered = window.page.locator(".live-responses-table .response .response-col_status")
    expect(answered).to_contain_text("200")
    assert window.complaints == []


def test_an_answer_to_another_login_is_refused(window: Window) -> None:
    window.page.goto(SMALL)
    window.page.evaluate(
        "sessionStorage.setItem('balcao-login', JSON.stringify({verifier: 'v', state: 's', hash: ''}))"
    )
    window.page.goto(f"{SMALL}?state=other&code=x")
    expect(window.page.get_by_role("status")).to_have_text("Não foi possível entrar. Tente de novo.")


def test_a_search_finds_operations_by_path_and_words_without_accents(window: Window) -> None:
    window.page.goto(REGISTRY)
    search = window.page.get_by_placeholder("Buscar por caminho, resumo ou assunto")
    paths = window.page.locator(".opblock-summary-path")
    for phrase in ("pets/stats", "VEICULO"):
        search.fill(phrase)
        expect(window.page.locator('[data-path="/admin/audit"]')).to_have_count(0)
        assert paths.count() > 0


def test_who_may_call_stands_beside_every_operation(window: Window) -> None:
    window.page.goto(REGISTRY)
    window.page.locator(".opblock").first.wait_for()
    rules = window.page.locator(".access-rule")
    assert rules.count() == window.page.locator(".opblock").count()
    assert "Quem pode chamar: client:CRM_WEBHOOK_CLIENTS" in rules.all_inner_texts()


AXE = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations
        .filter(violation => ["serious", "critical"].includes(violation.impact))
        .map(({ id, nodes }) => [id, nodes.length, nodes[0].html, nodes[0].failureSummary]);
}"""


@pytest.mark.node
@pytest.mark.parametrize("service", SHOWN, ids=[service.name for service in SHOWN])
def test_the_page_is_for_everybody(window: Window, service: Service) -> None:
    """Axe finds no serious violation, whether an operation or the token form is open."""
    window.page.goto(f"{service.prefix}{service.base}/docs")
    window.page.locator(".opblock-summary-control").first.click()
    window.page.locator(".responses-table").wait_for()
    assert violations(window) == []
    window.page.get_by_role("button", name="Autorizar").first.click()
    window.page.locator(".auth-container").wait_for()
    assert violations(window) == []


@pytest.mark.node
def test_the_list_of_services_is_for_everybody(window: Window) -> None:
    window.page.goto("/docs")
    assert violations(window) == []


def violations(window: Window) -> list[Any]:
    """Return the serious and critical violations. Playwright injects axe, bypassing the content security policy."""
    window.page.evaluate((npm_tools.modules() / "axe-core" / "axe.min.js").read_text("utf-8"))
    return list(window.page.evaluate(AXE))
