"""The developer portal's search in a real browser. Without scripts, the page lists all pages."""

import pytest
from playwright.sync_api import Browser, expect

from balcao.developer_portal.search_page import PATHS
from tests.support.panel_browser import opened_screen
from tests.support.server import RunningServer

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]
MOST_BYTES = 150_000


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(
    ("language", "typed", "title"),
    [
        ("pt-BR", "ANIMAIS cidadao", "Animais do cidadão"),
        ("pt-BR", "last-event-id conexao", "O quadro de risco, ao vivo"),
        ("en", "retry-after", "Errors and retries"),
        ("en", "rate limit", "Errors and retries"),
        ("en", "pagination", "Pages and versions"),
        ("en", "signature", "Send the CRM's events"),
        ("en", "sdk", "Your first call, in your language"),
    ],
)
def test_a_page_is_found_by_parts_of_its_words(
    browser: Browser, address: str, width: int, language: str, typed: str, title: str
) -> None:
    with opened_screen(browser, address, width) as screen:
        answer = screen.open(PATHS[language])
        assert len(answer.body()) < MOST_BYTES
        page = screen.page
        everything = page.get_by_role("listitem").count()
        page.get_by_role("searchbox").press_sequentially(typed)
        expect(page.get_by_role("link", name=title, exact=True)).to_be_visible()
        found = page.get_by_role("listitem").count()
        assert found < everything
        expect(page.get_by_role("status")).to_contain_text(f": {found}.")
        assert screen.axe() == []
        assert screen.wider_than_the_screen() == []
        page.reload()
        expect(page.get_by_role("searchbox")).to_have_value(typed)
        expect(page.get_by_role("listitem")).to_have_count(found)
        page.get_by_role("searchbox").fill("")
        expect(page.get_by_role("listitem")).to_have_count(everything)
        page.get_by_role("link", name=title, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
        assert (screen.complaints, screen.strangers) == ([], [])


@pytest.mark.parametrize(
    ("typed", "title"),
    [("pagnation", "Pages and versions"), ("cpf-invaild", "cpf-invalid"), ("valor-length", "<field>-length")],
)
def test_a_mistyped_word_finds_similar_ones(browser: Browser, address: str, typed: str, title: str) -> None:
    with opened_screen(browser, address) as screen:
        screen.open(f"{PATHS['en']}?q={typed}")
        expect(screen.page.get_by_role("status")).to_contain_text("similar words")
        expect(screen.page.get_by_role("link", name=title, exact=True).first).to_be_visible()


def test_what_is_found_nowhere_is_said(browser: Browser, address: str) -> None:
    with opened_screen(browser, address) as screen:
        screen.open(f"{PATHS['pt-BR']}?q=xyzzy")
        expect(screen.page.get_by_role("status")).to_have_text("Páginas encontradas: 0.")
        expect(screen.page.get_by_role("listitem")).to_have_count(0)


@pytest.mark.parametrize("language", PATHS)
def test_without_script_there_is_the_list_and_no_field(browser: Browser, address: str, language: str) -> None:
    with opened_screen(browser, address, java_script_enabled=False) as screen:
        screen.open(PATHS[language])
        expect(screen.page.get_by_role("searchbox")).to_have_count(0)
        assert screen.page.get_by_role("listitem").count() > 400
