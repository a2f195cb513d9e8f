"""Axe finds no violation on the panel's pages, in any of their states.

The test follows links as a person does, so new pages are included. CI checks the pages of the navigation in light
colours at 1280 pixels. `make prove` checks all linked pages at both widths, in light and dark colours.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from balcao.panel.areas import AREAS
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import FULL
from tests.support.sandbox import Sandbox
from tools.screenshots import walk

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = [(width, scheme) for width in (1280, 360) for scheme in ("light", "dark")] if FULL else [(1280, "light")]
WHO = ["kleber", "luiz", "debora", "tereza", "helio", "silvia", "editora", "carla"] if FULL else ["kleber"]
PAGES = [page for area in AREAS for page in area.pages.declared if page.method == "GET"]
IN_MENU = [page.address() for page in PAGES if page.in_menu]


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """Return the panel's address.

    This fixture depends on `sql`, so that the event loop of `sql` starts before the browser's and ends after it.
    """
    return sandbox.url


@pytest.fixture(params=LOOKS, ids=lambda look: "-".join(map(str, look)))
def screen(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Screen:
    width, scheme = request.param
    return screen_of(width, color_scheme=scheme)


def assert_usable(screen: Screen, address: str) -> None:
    assert screen.axe() == [], address
    assert screen.wider_than_the_screen() == [], address


def open_pages(screen: Screen) -> Iterator[str]:
    if FULL:
        for _, address in walk(screen.page):
            yield address
    else:
        for address in IN_MENU:
            screen.open(address)
            yield address


@pytest.mark.parametrize("who", WHO)
def test_every_page_that_links_lead_to(screen: Screen, who: str) -> None:
    screen.login(who)
    for address in open_pages(screen):
        assert_usable(screen, address)


def test_lists_in_which_nothing_was_found(screen: Screen) -> None:
    screen.login("kleber")
    for address in IN_MENU:
        screen.open(address)
        field = screen.page.locator("form.filters input[type=search]").first
        if field.count():
            screen.unfold_filters()
            field.fill("nada-tem-este-nome")
            field.press("Enter")
            screen.page.wait_for_load_state()
            assert_usable(screen, address)


def test_pages_of_what_nobody_has_heard_of(screen: Screen) -> None:
    screen.login("kleber")
    for page in PAGES if FULL else PAGES[::20]:
        if page.parameters:
            address = page.address(**dict.fromkeys(page.parameters, "999999"))
            screen.open(address)
            assert_usable(screen, address)


def test_pages_that_a_person_may_not_see(screen: Screen) -> None:
    screen.login("ana")
    refused = [page.address() for page in PAGES if page.in_menu and page.actions]
    for address in refused if FULL else refused[:2]:
        answer = screen.open(address)
        assert answer.status == 403
        assert_usable(screen, address)


def test_a_refused_form_and_one_that_is_sent_after_the_end_of_the_session(
    screen: Screen, sandbox: Sandbox, sql: Callable[..., Any], beside: Callable[..., Any]
) -> None:
    screen.login("kleber", "/painel/operacao/crm")
    screen.page.get_by_role("button", name="Começar a releitura").click()
    assert_usable(screen, "a refused form")
    cookies = {one["name"]: one["value"] for one in screen.page.context.cookies()}
    key = hashlib.sha256(cookies[f"painel-{sandbox.settings.port}"].encode()).digest()
    beside(sql, "UPDATE panel.session SET used_at = now() - interval '2 hours' WHERE key = $1", key)
    screen.page.get_by_role("button", name="Começar a releitura").click()
    assert_usable(screen, "the end of a session")
