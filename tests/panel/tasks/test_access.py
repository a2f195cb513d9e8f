"""Tasks 35 to 37, for people who administer access, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from balcao.settings import Settings
from tests.support.panel_person import Person
from tests.support.server import UNLIMITED, free_port
from tests.support.task_modes import Mode

pytestmark = pytest.mark.page

PersonOf = Callable[..., Person]
PAULO = "900.000.404-79"  # a demo member of staff without rights


@pytest.fixture(scope="module")
def settings(way: Mode, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return settings with which no token grants administrator rights.

    The only administrators are then those in the catalogue.
    """
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        port=free_port(),
        access_admin_from_token=False,
        refused_rate=UNLIMITED,
    )


@pytest.mark.task(35)
def test_who_is_put_into_a_group_sees_the_area_at_the_next_page(person_of: PersonOf) -> None:
    paulo = person_of("paulo")
    expect(paulo.page.get_by_role("link", name="Quadro de risco", include_hidden=True)).to_have_count(0)
    marina = person_of("marina")
    marina.visit_area("Grupos")
    marina.follow("risco_operadores")
    marina.follow("Incluir uma pessoa")
    marina.fill("CPF da pessoa", PAULO)
    marina.press("Ver o que ganha")
    marina.expect_text("risk_notification:manage")
    marina.press("Incluir no grupo")
    expect(marina.page.get_by_role("status")).to_contain_text("está no grupo")
    paulo.open("/painel/conta")
    paulo.visit_area("Quadro de risco")
    expect(paulo.heading).to_have_text("Quadro de risco")


@pytest.mark.task(36)
def test_an_action_is_renamed_after_reading_what_follows_it(person_of: PersonOf) -> None:
    marina = person_of("marina")
    marina.visit_area("Ações")
    marina.fill("Parte do nome", "iptu")
    marina.press("Filtrar")
    marina.follow("Consultar boletos do IPTU")
    marina.follow("Mudar")
    marina.fill("Nome", "iptu:invoice:look")
    marina.press("Ver o que muda e gravar")
    marina.expect_text("Nada quebra")
    marina.press("Gravar com este nome")
    marina.expect_text("iptu:consulta")
    assert "iptu:invoice:look" in marina.page.content()


@pytest.mark.task(37)
def test_the_last_way_in_is_not_removed_and_the_reason_is_told(person_of: PersonOf) -> None:
    marina = person_of("marina")
    for group in ("administradores", "superadministradores"):
        marina.visit_area("Grupos")
        marina.follow(group, exact=True)
        marina.follow("Excluir")
        marina.press("Excluir o grupo")
    marina.page.get_by_role("main").get_by_role("checkbox").check()
    marina.press("Excluir o grupo")
    expect(marina.page.get_by_role("alert").first).to_contain_text("Ninguém mais poderia administrar os acessos")
    marina.visit_area("Grupos")
    marina.expect_text("superadministradores")
