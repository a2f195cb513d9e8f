"""Axe finds no violation on the pages of Minha página, and no page is wider than its screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.panel.conftest import beside
from tests.site.mine.test_my_pages import PLAIN
from tests.site.test_request_axe import inspect, press
from tests.support.fixture_types import Sql
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks
from tests.support.sample_files import photo

__all__ = ["beside"]

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


LOOKS = choose_looks(1280, 360)
NEW = f"{PREFIX}/veiculos/novo"


def log_in(screen: Screen, username: str) -> None:
    screen.page.goto(PREFIX)
    screen.page.get_by_label("CPF ou usuário").fill(username)
    screen.page.get_by_label("Senha").fill(people_by_login()[username].password)
    screen.page.get_by_role("button", name="Entrar").click()
    screen.page.wait_for_url(f"**{PREFIX}")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_of_a_citizen(screen_of: Callable[..., Screen], width: int, scheme: str) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, "ana")
    for path in [page.path for page in PLAIN] + ["/curriculo/experiencias/incluir", "/curriculo/formacoes/incluir"]:
        screen.open(PREFIX + path)
        screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert screen.axe() == [], path
        assert screen.wider_than_the_screen() == [], path


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize(
    ("username", "path", "links"),
    [
        ("ana", "/candidaturas", ["Confeiteiro"]),
        ("bruno", "/candidaturas", ["Confeiteiro"]),
        ("elisa", f"/candidatar/auxiliar-de-cozinha-{sandbox_job_id('V9').hex[:12]}", ["Completar o currículo"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Bruno Tavares"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Autorizar alguém a conduzir"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Mudar : Cor"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Trocar : Foto do veículo"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Excluir o veículo"]),
        ("bruno", "/veiculos", ["Bicicleta do trabalho", "Deixar de conduzir"]),
        ("fabio", "/veiculos", ["Responder ao convite"]),
        ("carla", "/pedidos", ["Responder"]),
    ],
)
def test_the_pages_to_which_these_links_lead(
    screen_of: Callable[..., Screen], width: int, scheme: str, username: str, path: str, links: list[str]
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, username)
    screen.open(PREFIX + path)
    for name in links:
        link = screen.page.get_by_role("main").get_by_role("link", name=name).first
        screen.open(str(link.get_attribute("href")))
        assert screen.axe() == [], screen.page.url
        assert screen.wider_than_the_screen() == [], screen.page.url


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize(
    ("username", "shown"),
    [
        ("ana", "Vermelho: não atende agora"),
        ("carla", "A prefeitura perguntou sobre o pedido"),
        ("fabio", "Convite para conduzir"),
        ("gabriela", "Nenhum veículo registrado."),
    ],
)
def test_the_first_page_in_the_states_of_these_citizens(
    screen_of: Callable[..., Screen], width: int, scheme: str, username: str, shown: str
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, username)
    expect(screen.page.get_by_role("main")).to_contain_text(shown)
    inspect(screen)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_first_page_while_parts_of_it_fail(
    screen_of: Callable[..., Screen], width: int, scheme: str, sql: Sql, beside: Callable[..., Any]
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, "ana")
    for table in ("own_pet", "vehicle", "request"):
        beside(sql, f"ALTER TABLE registry.{table} RENAME TO {table}_away")
    try:
        screen.open(PREFIX)
        expect(screen.page.get_by_text("Não conseguimos ler os seus veículos agora.")).to_be_visible()
        inspect(screen)
    finally:
        for table in ("own_pet", "vehicle", "request"):
            beside(sql, f"ALTER TABLE registry.{table}_away RENAME TO {table}")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_state_of_an_application(screen_of: Callable[..., Screen], width: int, scheme: str) -> None:
    screen = screen_of(width, color_scheme=scheme)
    page, job = screen.page, f"/auxiliar-de-cozinha-{sandbox_job_id('V9').hex[:12]}"
    begin = f"{PREFIX}/candidatar{job}"
    log_in(screen, "bruno" if width == 1280 else "carla")  # each may withdraw an application three times
    screen.open(f"/vagas{job}")
    inspect(screen)
    screen.open(f"{begin}/pergunta/1")
    press(screen, "Continuar")
    page.get_by_label("Sim", exact=True).check()
    press(screen, "Continuar")
    page.get_by_label("Há quantos anos").fill("muitos")
    press(screen, "Continuar")
    screen.open(begin)
    expect(page.get_by_role("link", name="Continuar de onde parou")).to_be_visible()
    inspect(screen)
    screen.open(f"{begin}/pergunta/2")
    press(screen, "Continuar")
    expect(page.get_by_role("main")).to_contain_text("Não respondida")
    for name in ("Mudar o nome", "Mudar o e-mail", "Mudar o telefone", "Mudar o currículo"):
        screen.open(str(page.get_by_role("link", name=name).get_attribute("href")))
        expect(page.get_by_role("link", name="Voltar à candidatura")).to_be_visible()
        inspect(screen)
        screen.open(f"{begin}/conferir")
    press(screen, "Enviar a candidatura")
    expect(page.get_by_role("status")).to_contain_text("Candidatura enviada.")
    page.get_by_role("link", name="Retirar a candidatura").click()
    press(screen, "Retirar a candidatura")  # so that the next look can apply again
    screen.open(f"{PREFIX}/dados/email")
    page.context.clear_cookies()
    press(screen, "Guardar")
    expect(page.get_by_role("status")).to_contain_text("A sua sessão terminou.")
    assert [one for one in screen.complaints if "422" not in one and "401" not in one] == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_state_of_a_vehicles_form(
    screen_of: Callable[..., Screen], width: int, scheme: str, tmp_path: Path
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    page, picture, text = screen.page, tmp_path / "a.jpg", tmp_path / "a.txt"
    picture.write_bytes(photo(400, 300))
    text.write_text("não é uma foto", "utf-8")
    log_in(screen, "gabriela")
    screen.open(NEW)
    inspect(screen)
    screen.open(f"{NEW}/marca")
    inspect(screen)
    press(screen, "Continuar")
    page.get_by_label("Não está nesta lista").check()
    press(screen, "Continuar")
    page.get_by_label("Que marca é?").fill("Artesanal")
    press(screen, "Continuar")
    page.get_by_label("Que modelo é?").fill("Montada em casa")
    press(screen, "Continuar")
    page.get_by_label("Ciclomotor").check()
    press(screen, "Continuar")
    page.get_by_label("Qual é a cor principal?").select_option("Vinho")
    press(screen, "Continuar")
    page.get_by_label("Qual é o número de série?").fill("1")
    press(screen, "Continuar")
    page.get_by_label("Qual é o número de série?").fill("A-1234")
    press(screen, "Continuar")
    for _ in range(2):  # the two photos
        page.locator("input[type=file]").set_input_files(text)
        press(screen, "Continuar")
        page.locator("input[type=file]").set_input_files(picture)
        press(screen, "Continuar")
    screen.open(f"{NEW}/fotos/foto")
    inspect(screen)
    screen.open(f"{NEW}/nome")
    page.get_by_label("Como você quer chamar o veículo?").fill("Vinhozinho")
    press(screen, "Continuar")
    press(screen, "Registrar o veículo")
    page.get_by_label("Declaro que o veículo é meu").check()
    press(screen, "Registrar o veículo")
    page.get_by_role("link", name="Ver o veículo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Vinhozinho")
    inspect(screen)
    assert [one for one in screen.complaints if "422" not in one] == []
