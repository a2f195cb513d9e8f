"""The developer portal's first page, guides and operation pages are accessible at every width in a real browser."""

import pytest
from playwright.sync_api import Browser

from balcao import app
from balcao.developer_portal import guides, own_calls, search_page
from balcao.developer_portal.operation_pages import ROOTS
from tests.support.panel_browser import Screen, opened_screen
from tests.support.proof_sizes import FULL, report, size
from tests.support.server import RunningServer

pytestmark = [pytest.mark.page, pytest.mark.node]
# One operation page of each kind: with parameters and a body, with a stream, and with very little content.
OPERATIONS = [
    "",
    "/registry",
    "/registry/change_preferences",
    "/health_units/stream_changes",
    "/agent_docs/read_description",
]
PATHS = [
    "/docs",
    own_calls.PATH,
    *search_page.PATHS.values(),
    *sorted(guides.list_paths()),
    *(root + below for root in ROOTS.values() for below in OPERATIONS),
]
OF_OPERATIONS = [
    f"{root}/{operation.key.replace('.', '/', 1).replace('.', '_')}"
    for root in ROOTS.values()
    for service in app.SERVICES
    for operation in service.operations()
    if operation.in_description
]
# Ordinary runs check only every sixtieth operation page.
SAMPLE = 60
# The upper limit for the size of a page's first load, including all files.
MOST_BYTES = 150_000


@pytest.fixture(scope="module")
def address(server: RunningServer) -> str:
    return server.url


LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]
in_each_look = pytest.mark.parametrize("place", range(len(LOOKS)), ids=["-".join(map(str, look)) for look in LOOKS])


def list_faults(screen: Screen, path: str) -> list[object]:
    """Open a page, and return everything that makes it hard to use."""
    screen.asked.clear()
    answer = screen.open(path)
    asked = [url for url in screen.asked if not url.startswith("data:")]
    return [
        *screen.axe(),
        *screen.wider_than_the_screen(),
        *([] if screen.page.get_by_role("main").count() == 1 else ["more than one main, or none"]),
        *([] if len(answer.body()) < MOST_BYTES else [f"{len(answer.body())} bytes"]),
        *asked[1:],
        *([] if answer.status == 200 else [answer.status]),
    ]


@pytest.mark.long
@in_each_look
def test_everybody_can_use_the_pages(browser: Browser, address: str, place: int) -> None:
    """Check each page with one combination of width and colour scheme. In a proof, check all combinations."""
    width, scheme = LOOKS[place]
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        for path in PATHS if FULL else PATHS[place :: len(LOOKS)]:
            assert list_faults(screen, path) == [], path
        assert screen.complaints == []
        assert screen.strangers == []
        screen.open("/docs/nada")
        assert screen.page.get_by_role("heading", level=1).inner_text() == "Página não encontrada"
        assert (screen.axe(), screen.wider_than_the_screen()) == ([], [])


@pytest.mark.long
@in_each_look
def test_everybody_can_use_the_page_of_each_operation(browser: Browser, address: str, place: int) -> None:
    """Check each page with one combination of width and colour scheme.

    One is enough, because the pages share a template.
    """
    width, scheme = LOOKS[place]
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        chosen = OF_OPERATIONS[place :: len(LOOKS)]
        found = {path: faults for path in chosen[:: size(SAMPLE, 1)] if (faults := list_faults(screen, path))}
        assert found == {}
        assert (screen.complaints, screen.strangers) == ([], [])
    report(f"pages of operations at {width} px, {scheme}: {len(chosen)}")
