"""The API pages in a real browser: the gateway's list of services, and a page for each service."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from balcao import app
from balcao.core.service import Service
from tests.pages.window import DESKTOP, PHONE, Window
from tests.support.issuer import Issuer
from tests.support.proof_sizes import FULL, size
from tests.support.server import RunningServer

pytestmark = pytest.mark.page

METHODS = {"get", "put", "post", "patch", "delete"}
# The pages use the same template and script, and differ only in the description that they render. Ordinary runs check
# only one small page, which has operations of every method.
DRAWN = app.SERVICES if FULL else app.choose_services(["health_units"])
each_service = pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)
each_page = pytest.mark.parametrize("service", DRAWN, ids=[service.name for service in DRAWN])


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


def base(service: Service) -> str:
    return service.prefix + service.base


def described(http: httpx.Client, service: Service) -> set[tuple[str, str]]:
    """Return the method and path of every operation in the service's OpenAPI description."""
    paths = http.get(f"{base(service)}/openapi.json").raise_for_status().json()["paths"]
    return {(method.upper(), path) for path, item in paths.items() for method in METHODS & set(item)}


SHOWN = """() => [...document.querySelectorAll(".opblock-summary")].map((block) => [
    block.querySelector(".opblock-summary-method").innerText,
    block.querySelector(".opblock-summary-path").dataset.path,
])"""


def shown(window: Window) -> set[tuple[str, str]]:
    """Return the method and path of every operation that the page has rendered, visible or not."""
    window.page.locator(".opblock-summary").first.wait_for()
    return {(method, path) for method, path in window.page.evaluate(SHOWN)}


def test_the_first_page_of_the_documentation_lists_all_seven_services(window: Window) -> None:
    window.page.goto("/docs")
    entries = window.page.get_by_role("listitem")
    assert entries.locator("code").all_inner_texts() == [base(service) for service in app.SERVICES]
    assert window.complaints == []
    assert window.strangers == []


@pytest.mark.long
def test_an_operation_leads_to_its_own_page(window: Window) -> None:
    window.page.goto("/registry/v1/docs")
    window.page.locator("[id$='-registry_read_preferences'] .opblock-summary-control").click()
    expect(window.page.get_by_text("Chamadas prontas, e a solução de cada recusa")).to_be_visible()
    own = "/docs/pt-BR/operacoes/registry/read_preferences"
    assert window.page.locator(f'a[href$="{own}"]').is_visible()
    window.page.goto(own)
    expect(window.page.get_by_role("heading", name="Recusas")).to_be_visible()
    assert (window.complaints, window.strangers) == ([], [])


@each_page
def test_the_list_leads_to_the_page_and_the_description_of_each_service(window: Window, service: Service) -> None:
    for link, arrived in (("docs", "text/html"), ("openapi.json", "application/json")):
        window.page.goto("/docs")
        # Do not wait until the page has rendered.
        with window.page.expect_navigation(wait_until="commit") as navigation:
            window.page.locator(f'a[href="{base(service)}/{link}"]').click()
        answer = navigation.value
        assert answer is not None
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, arrived)


@each_service
def test_with_and_without_a_slash_it_is_one_page(http: httpx.Client, service: Service) -> None:
    page, other = (http.get(f"{base(service)}/docs{slash}").raise_for_status() for slash in ("", "/"))
    assert page.text == other.text


# Open the operations one after another, because each click makes the page resolve the whole description again.
OPEN_EACH = """async count => {
    const frame = () => new Promise(requestAnimationFrame);
    const blocks = [...document.querySelectorAll(".opblock")];
    const wait = async (block, until) => {
        const late = performance.now() + 60_000;
        while (!until()) {
            if (performance.now() > late) throw new Error(block.id + " does not open or close");
            await frame();
        }
    };
    const step = Math.max(1, Math.floor(blocks.length / count));
    const chosen = blocks.filter((_, place) => place % step == 0);
    for (const block of chosen) {
        const click = () => block.querySelector(".opblock-summary-control").click();
        click();
        await wait(block, () => block.querySelector(".responses-table"));
        click();
        await wait(block, () => !block.querySelector(".responses-table"));
    }
    return chosen.length;
}"""


@pytest.mark.long
@each_page
def test_a_page_shows_opens_and_tries_operations_and_asks_nobody_else(
    window: Window, http: httpx.Client, service: Service
) -> None:
    operations = described(http, service)
    window.page.goto(f"{base(service)}/docs")
    assert shown(window) == operations
    expect(window.page.get_by_text(service.title, exact=True).first).to_be_visible()
    assert window.page.evaluate(OPEN_EACH, size(1, len(operations))) > 0
    assert window.page.locator(".errors-wrapper").count() == 0
    _fill_in(window, "/liveness")
    assert _executed(window) == "200"
    assert window.complaints == []
    assert window.strangers == []


@pytest.mark.long
def test_the_page_sends_the_token_that_a_person_gives_it(window: Window, issuer: Issuer) -> None:
    registry = next(service for service in app.SERVICES if service.name == "registry")
    window.page.goto(f"{base(registry)}/docs")
    window.page.get_by_role("button", name="Autorizar").click()
    window.page.locator(".auth-container input").fill(issuer.person("90000000175"))
    window.page.locator(".auth-container button[type=submit]").click()
    window.page.locator(".auth-container .btn-done").click()
    _fill_in(window, "/citizen/{cpf}/notification-preferences", cpf="90000000175")
    assert _executed(window) == "200"


def _fill_in(window: Window, path: str, **parameters: str) -> None:
    """Open the GET operation of this path and fill in its parameters. No other operation may be open."""
    place = f'.opblock-get:has([data-path="{path}"])'
    window.page.locator(f"{place} .opblock-summary-control").click()
    window.page.get_by_role("button", name="Experimentar").click()
    for name, value in parameters.items():
        window.page.locator(f'tr[data-param-name="{name}"] input').fill(value)


def _executed(window: Window) -> str:
    window.page.get_by_role("button", name="Executar").click()
    return window.page.locator(".live-responses-table .response .response-col_status").inner_text().strip()


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_the_list_fits_every_screen(window_of: Callable[[int], Window], width: int) -> None:
    window = window_of(width)
    window.page.goto("/docs")
    assert window.wider_than_the_screen() == []
