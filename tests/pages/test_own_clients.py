"""In a real browser without scripts, a developer creates and deletes a client.

The page shows the secret once, and asks for confirmation before it deletes the client.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from balcao.settings import Settings
from tests.sandbox.identity.provider import RunningProvider, person
from tests.support.demo_people import ANA
from tests.support.panel_browser import Screen, opened_screen
from tests.support.server import free_port

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[RunningProvider]:
    settings = Settings(port=free_port(), data_dir=tmp_path_factory.mktemp("identity"))
    with RunningProvider(settings, database_url) as running:
        yield running


@pytest.fixture(scope="module")
def address(provider: RunningProvider) -> str:
    return provider.issuer


def check(screen: Screen) -> None:
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []


@pytest.mark.parametrize("width", [360, 1280])
def test_a_developer_makes_renews_and_ends_a_client(browser: Browser, provider: RunningProvider, width: int) -> None:
    with opened_screen(browser, provider.issuer, width) as screen:
        page = screen.page
        page.goto(f"{provider.issuer}/clients")
        page.get_by_label("CPF ou usuário").fill(ANA)
        page.get_by_label("Senha").fill(person(ANA).password)
        page.get_by_role("button", name="Entrar").click()
        check(screen)
        page.get_by_label("Nome").fill("Agenda")
        page.get_by_label("Endereços de retorno").fill("http://localhost:3000/callback")
        page.get_by_label("sms:read").check()
        page.get_by_role("button", name="Criar cliente").click()
        expect(page.get_by_role("heading", name="Copie o segredo agora")).to_be_visible()
        check(screen)
        page.get_by_role("button", name="Renovar o segredo de Agenda").click()
        expect(page.get_by_role("heading", name="Copie o segredo agora")).to_be_visible()
        page.get_by_role("link", name="Encerrar Agenda").click()
        check(screen)
        page.get_by_role("button", name="Encerrar").click()
        expect(page.get_by_role("heading", name="Agenda")).to_have_count(0)
        assert screen.complaints == []
