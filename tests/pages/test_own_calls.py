"""In a real browser without scripts, a developer pastes a token and reads why a call was refused."""

from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, expect

from balcao import app
from balcao.core.live import call_log
from balcao.developer_portal import own_calls
from balcao.settings import Settings
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer
from tests.support.panel_browser import opened_screen
from tests.support.polling import until_now
from tests.support.server import RunningServer, free_port

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


@pytest.fixture(scope="module")
def address(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("data")
    settings = Settings(auth_issuer=issuer.address, data_dir=folder, port=free_port())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call_log, "FLUSH_SECONDS", 0.02)
        with RunningServer(app.build_application(settings, database_url), settings.port) as running:
            yield running.url


def is_listed(address: str, token: str, request_id: str) -> bool:
    query = {"request_id": request_id}
    answer = httpx.get(f"{address}/access/api/v1/clients/me/calls", params=query, headers=bearer(token))
    return bool(answer.raise_for_status().json()["items"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_developer_reads_why_a_call_was_refused(
    browser: Browser, address: str, issuer: Issuer, width: int, scheme: str
) -> None:
    token, refused = issuer.machine("painel-saude"), str(uuid4())
    record = f"{address}/registry/v1/citizen/{ANA}"
    assert httpx.get(record, headers=bearer(token) | {"X-Request-ID": refused}).status_code == 403
    until_now(lambda: is_listed(address, token, refused))
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        screen.open(own_calls.PATH)
        page = screen.page
        page.get_by_label("X-Request-ID").fill(refused)
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="403 forbidden")).to_be_visible()
        expect(page.get_by_text("Solução:")).to_have_count(1)
        assert screen.axe() == []
        assert screen.wider_than_the_screen() == []
        assert token not in page.content()
        page.get_by_role("link", name="forbidden", exact=True).click()
        expect(page.locator("[id='403-forbidden']")).to_be_in_viewport()
        assert screen.complaints == []
