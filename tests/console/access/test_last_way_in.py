"""The last administrator stays, where a token brings no administration (task 37)."""

from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

GROUPS = "/painel/acessos/grupos"


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), access_admin_from_token=False)
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


def test_the_last_way_in_is_refused_and_explained_and_nothing_is_lost(panel: PanelClient) -> None:
    panel.login("marina", GROUPS)
    panel.submit(f"{GROUPS}/administradores/excluir")
    assert "O grupo administradores foi excluído." in panel.page.text
    answer = panel.submit(f"{GROUPS}/superadministradores/excluir")
    assert answer.status_code == 422
    assert "Ninguém mais poderia administrar os acessos: dê antes esse papel a outra." in panel.page.text
    assert panel.get(f"{GROUPS}/superadministradores").status_code == 200
