"""The last administrator cannot be removed if no token grants administrator rights (task 37)."""

import re
from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

GROUPS = "/painel/acessos/grupos"


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=free_port(),
        access_admin_from_token=False,
        refused_rate=UNLIMITED,
    )
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


def test_the_last_way_in_is_refused_and_explained_and_nothing_is_lost(panel: PanelClient) -> None:
    panel.login("marina", GROUPS)
    panel.submit(f"{GROUPS}/administradores/excluir")
    assert "O grupo administradores foi excluído." in panel.page.text
    answer = panel.submit(f"{GROUPS}/superadministradores/excluir", sure="y")
    assert answer.status_code == 422
    assert "Ninguém mais poderia administrar os acessos: antes, dê esse papel a outra pessoa." in panel.page.text
    assert panel.get(f"{GROUPS}/superadministradores").status_code == 200


def read_person(panel: PanelClient, name: str) -> str:
    """Search for a person, and return the address of the person's page."""
    panel.get(f"/painel/acessos/pessoas?procura={name}")
    return next(link for link in panel.page.links if re.fullmatch(r"/painel/acessos/pessoas/\d+", link))


def test_who_would_lose_their_own_last_administration_is_asked_again_and_told_which(panel: PanelClient) -> None:
    panel.login("marina", GROUPS)
    leaving = f"{read_person(panel, 'Marina')}/grupos/superadministradores/retirar"
    for address in (leaving, f"{GROUPS}/superadministradores/papeis/superadmin/retirar"):
        page = panel.get(address)
        assert (
            "Você perde a sua última administração: o papel superadmin, pelo grupo superadministradores." in page.text
        )
        answer = panel.submit(address)
        assert answer.status_code == 422
        assert "Marque que você entende" in answer.text
    assert panel.get(f"{GROUPS}/superadministradores").status_code == 200


def test_another_persons_administration_and_a_right_of_ones_own_are_not_asked_twice(panel: PanelClient) -> None:
    panel.login("marina", GROUPS)
    panel.submit(f"{GROUPS}/superadministradores/incluir", cpf="90000000175", visto="sim")
    other = read_person(panel, "90000000175")
    assert "última administração" not in panel.get(f"{other}/grupos/superadministradores/retirar").text
    answer = panel.submit(f"{other}/grupos/superadministradores/retirar")
    assert "não está mais no grupo" in answer.text
