"""The risk board's stream: two windows share one upstream, and pages poll while the stream is down."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.support.fixture_types import Sql
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.polling import PATIENCE

pytestmark = pytest.mark.long

BOARD = "/painel/saude/risco"
STREAM = f"{BOARD}/ao-vivo"
EVENTS = {"Accept": "text/event-stream"}


def read_events(lines: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the id, name and data of each event in the lines of a stream."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            found.setdefault(name, []).append(value.removeprefix(" "))
        elif found:
            if "event" in found:
                yield "".join(found.get("id", [])), found["event"][0], "\n".join(found.get("data", []))
            found = {}


def find_board(panel: PanelClient, **headers: str) -> tuple[str, str]:
    """Return the id and the data of the first board that the stream sends."""
    with panel.http.stream("GET", STREAM, headers=EVENTS | headers) as answer:
        assert answer.status_code == 200
        return next((id, data) for id, name, data in read_events(answer.iter_lines()) if name == "quadro")


def test_whoever_comes_back_gets_the_board_at_once_if_it_has_changed(
    panel: PanelClient, open_one: Callable[..., str]
) -> None:
    panel.login("rui", BOARD)
    known, _ = find_board(panel)
    open_one("9900016", "Laranja")
    newer, text = find_board(panel, **{"Last-Event-ID": known})
    assert int(newer) > int(known)
    assert "CMS do Mercado" in text
    assert "_csrf" in text


def test_a_heartbeat_says_how_long_ago_the_upstream_was_heard(panel: PanelClient) -> None:
    panel.login("rui", BOARD)
    with panel.http.stream("GET", STREAM, headers=EVENTS) as answer:
        age = next(data for _, name, data in read_events(answer.iter_lines()) if name == "vivo")
    assert 0 <= json.loads(age) < 35


def test_the_stream_is_for_who_may_see_the_board_and_leads_a_page_to_it(panel: PanelClient, sql: Sql) -> None:
    assert httpx.get(panel.url + STREAM, headers=EVENTS).status_code == 303  # this redirects to the login page
    panel.login("rui", STREAM)
    assert panel.page.heading == "Quadro de risco"
    sql("DELETE FROM panel.session")
    assert panel.http.get(STREAM, headers=EVENTS).status_code == 303


def test_a_session_holds_five_streams_and_no_more(panel: PanelClient) -> None:
    panel.login("rui", BOARD)
    with ExitStack() as held:
        listening = []  # keep the iterators, because dropping one closes its stream
        for _ in range(5):
            answer = held.enter_context(panel.http.stream("GET", STREAM, headers=EVENTS))
            listening.append(read_events(answer.iter_lines()))
            assert next(listening[-1])[1] == "quadro"
        assert panel.http.get(STREAM, headers=EVENTS).status_code == 429


@pytest.mark.page
@pytest.mark.node
def test_two_windows_are_told_by_one_stream_and_ask_again_while_it_is_away(
    screen_of: Callable[..., Screen], open_one: Callable[..., str]
) -> None:
    screens = [screen_of(), screen_of()]
    for screen, person in zip(screens, ("rui", "kleber"), strict=True):
        screen.login(person, BOARD)
        expect(screen.page.locator("[data-by=stream]")).to_be_visible(timeout=PATIENCE * 1000)
        forbid_asking(screen.page)
    open_one("9900018", "Vermelho")
    for screen in screens:
        expect(screen.page.locator("[data-board]")).to_contain_text("Vermelho", timeout=PATIENCE * 1000)
        expect(screen.page.locator("[data-live-word]")).to_have_text("Ao vivo")
    assert screens[0].axe() == []


def forbid_asking(page: Page) -> None:
    """Block polling, so that only the stream updates the board."""
    page.route(f"**{BOARD}?*", lambda route: route.abort())


@pytest.mark.page
@pytest.mark.node
def test_a_stream_that_cannot_be_opened_leaves_the_board_asking_and_comes_back(
    screen_of: Callable[..., Screen], open_one: Callable[..., str]
) -> None:
    screen = screen_of()
    screen.page.route(f"**{STREAM}*", lambda route: route.fulfill(status=503))
    screen.login("rui", BOARD)
    open_one("9900014", "Amarelo")
    expect(screen.page.locator("[data-board]")).to_contain_text("Amarelo", timeout=PATIENCE * 1000)
    expect(screen.page.locator("[data-by=asking]")).to_be_visible()
    screen.page.unroute(f"**{STREAM}*")
    expect(screen.page.locator("[data-by=stream]")).to_be_visible(timeout=PATIENCE * 1000)
