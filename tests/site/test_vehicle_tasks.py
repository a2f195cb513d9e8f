"""A citizen registers a vehicle and authorises a driver, who accepts (tasks 21 and 22).

Done with the keyboard only, without scripts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers.service import PAGE
from balcao.site.mine.declaration import PREFIX
from tests.registry.mobility.garage import CITIZEN, FABIO, form
from tests.site.keyboard_steps import follow, log_in, press
from tests.support.demo_people import ANA
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen
from tests.support.sample_files import drawing, photo
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.page, pytest.mark.long]

NAME = "Bicicleta da feira"
DAUGHTER = Cpf.with_stem("945670031").digits


def call(sandbox: Sandbox, method: str, path: str, body: Any = None) -> Any:
    """Make a call of Ana. Return the decoded response."""
    token = {"Authorization": f"Bearer {sandbox.tokens.person(ANA)}"}
    answer = sandbox.http.request(method, f"{CITIZEN}/{ANA}/vehicles{path}", json=body, headers=token)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


@pytest.fixture
def vehicle(sandbox: Sandbox) -> Iterator[str]:
    id_ = call(sandbox, "POST", "", form(display_name=NAME))["id"]
    yield id_
    call(sandbox, "DELETE", f"/{id_}")


@pytest.mark.usefixtures("vehicle")
def test_task_21_ana_authorises_her_daughter_to_ride_her_bicycle(screen: Screen, keys: Keyboard) -> None:
    page, main = screen.page, screen.page.get_by_role("main")
    keys.press(page.get_by_role("banner").get_by_role("link", name="Minha página"))
    log_in(screen, keys, "ana")
    page.wait_for_url(f"**{PREFIX}")  # the first page is step 1
    follow(screen, keys, f"Autorizar alguém a conduzir {NAME}")  # step 2
    keys.fill(page.get_by_label("CPF da pessoa"), "900.000.001-75")
    keys.fill(page.get_by_label("E-mail da pessoa"), "clara@correio.example")
    keys.fill(page.get_by_label("Como você a chama"), "Clara, minha filha")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("Este CPF é o seu")
    expect(page.get_by_label("E-mail da pessoa")).to_have_value("clara@correio.example")
    keys.fill(page.get_by_label("CPF da pessoa"), DAUGHTER)
    press(screen, keys, "Continuar")  # step 3
    expect(page.get_by_role("heading", level=1)).to_have_text("Confira antes de enviar")
    expect(main).to_contain_text("945.670.031-")
    press(screen, keys, "Enviar o convite")  # step 4
    expect(page.get_by_role("status")).to_contain_text("O convite foi enviado.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Clara, minha filha")
    expect(main).to_contain_text("Ainda não respondeu ao convite")
    follow(screen, keys, "Ver o veículo")
    expect(main.get_by_role("listitem").filter(has_text="Clara")).to_contain_text("Ainda não respondeu ao convite")
    follow(screen, keys, "Clara, minha filha")
    press(screen, keys, "Desfazer o convite")
    expect(page.get_by_role("status")).to_contain_text("não está mais na lista")
    expect(main).not_to_contain_text("Clara")
    assert screen.strangers == []


def test_task_22_fabio_accepts_an_invitation_from_the_email_and_leaves_again(
    screen: Screen, keys: Keyboard, sandbox: Sandbox, vehicle: str
) -> None:
    page, main = screen.page, screen.page.get_by_role("main")
    link = call(sandbox, "POST", f"/{vehicle}/conductors", {"cpf": FABIO, "email": "fabio@pessoa.example"})["id"]
    page.goto(f"{PAGE}/{link}")  # the address in the e-mail
    log_in(screen, keys, "fabio")
    expect(page.get_by_role("heading", level=1)).to_have_text("Convite para conduzir")  # step 1
    expect(main).to_contain_text(f"convida você a conduzir “{NAME}”")
    press(screen, keys, "Aceitar")  # step 2
    expect(page.get_by_role("status")).to_contain_text("o veículo está na sua lista")
    page.go_back()  # the form was sent, so its address shows the list
    expect(page.get_by_role("status")).to_contain_text("já foi respondido")
    follow(screen, keys, NAME)
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    follow(screen, keys, "Deixar de conduzir")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Deixar de conduzir")
    press(screen, keys, "Deixar de conduzir")
    expect(page.get_by_role("status")).to_contain_text(f"Você não conduz mais “{NAME}”.")
    expect(main.get_by_role("link", name=NAME)).to_have_count(0)
    assert screen.strangers == []


def test_carla_registers_a_vehicle_corrects_an_answer_and_changes_its_photo(
    screen: Screen, keys: Keyboard, tmp_path: Path
) -> None:
    page, main = screen.page, screen.page.get_by_role("main")
    heading, alert = page.get_by_role("heading", level=1), page.get_by_role("alert")
    for name, content in [("foto.jpg", photo(400, 300)), ("serie.png", drawing()), ("serie.txt", b"BR-1")]:
        (tmp_path / name).write_bytes(content)

    def choose(name: str) -> None:
        field = page.locator("input[type=file]")
        keys.go_to(field)
        field.set_input_files(tmp_path / name)  # in the window of the operating system

    page.goto(f"{PREFIX}/veiculos")
    log_in(screen, keys, "carla")
    follow(screen, keys, "Registrar um veículo")
    follow(screen, keys, "Começar")
    press(screen, keys, "Continuar")
    expect(alert).to_be_focused()
    expect(alert).to_contain_text("Responda a esta pergunta.")
    keys.set_checked(page.get_by_label("Não está nesta lista"), True)
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Que marca é?"), "Artesanal")
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Que modelo é?"), "Montada em casa")
    press(screen, keys, "Continuar")
    keys.set_checked(page.get_by_label("Bicicleta elétrica"), True)
    press(screen, keys, "Continuar")
    keys.select(page.get_by_label("Qual é a cor principal?"), "Verde Escuro")
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Qual é o número de série?"), "BR1")
    press(screen, keys, "Continuar")
    expect(alert).to_contain_text("De 4 a 40 caracteres.")
    expect(page.get_by_label("Qual é o número de série?")).to_have_value("BR1")
    keys.fill(page.get_by_label("Qual é o número de série?"), "BR12")
    press(screen, keys, "Continuar")
    choose("serie.txt")
    press(screen, keys, "Continuar")
    expect(alert).to_contain_text("não é uma foto em JPEG ou PNG")
    choose("serie.png")
    press(screen, keys, "Continuar")
    expect(heading).to_have_text("Foto do veículo")
    choose("foto.jpg")
    press(screen, keys, "Continuar")
    expect(heading).to_have_text("Como você quer chamar o veículo?")
    page.go_back()
    expect(main).to_contain_text("Guardada: Foto de")
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Como você quer chamar o veículo?"), "Verdinha")
    press(screen, keys, "Continuar")
    expect(heading).to_have_text("Confira antes de registrar")
    assert screen.wider_than_the_screen() == []
    follow(screen, keys, "Mudar : Cor")
    keys.select(page.get_by_label("Qual é a cor principal?"), "Verde")
    press(screen, keys, "Continuar")
    keys.set_checked(page.get_by_label("Declaro que o veículo é meu"), True)
    press(screen, keys, "Registrar o veículo")
    expect(heading).to_have_text("Veículo registrado")
    page.go_back()  # the form was sent, so its address shows the receipt
    expect(heading).to_have_text("Veículo registrado")
    follow(screen, keys, "Ver o veículo")
    expect(main).to_contain_text("Artesanal Montada em casa")
    follow(screen, keys, "Mudar : Nome")
    keys.fill(page.get_by_label("Como você quer chamar o veículo?"), "Verdona")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("status")).to_contain_text("A mudança foi guardada.")
    expect(heading).to_have_text("Verdona")
    follow(screen, keys, "Trocar : Foto do veículo")
    choose("serie.png")
    press(screen, keys, "Guardar a foto")
    expect(page.get_by_role("status")).to_contain_text("A mudança foi guardada.")
    follow(screen, keys, "Excluir o veículo")
    press(screen, keys, "Excluir o veículo")
    expect(page.get_by_role("status")).to_contain_text("“Verdona” foi excluído.")
    expect(main.get_by_role("link", name="Verdona")).to_have_count(0)
    assert screen.strangers == []
