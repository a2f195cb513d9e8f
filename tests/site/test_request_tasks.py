"""Tasks with requests, done only with the keyboard, in a Chromium without scripts, on the screen of a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from balcao.site.mine.declaration import PREFIX
from tests.site.keyboard_steps import follow, log_in, press
from tests.support.keyboard import Keyboard
from tests.support.panel_browser import Screen
from tests.support.sample_files import photo
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.page, pytest.mark.long]

NUMBER, CODE = re.compile(r"PED-\d{8}-\d"), re.compile(r"[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}")


def read_text(screen: Screen, pattern: re.Pattern[str]) -> str:
    main = screen.page.get_by_role("main")
    expect(main).to_contain_text(pattern)  # waits for the page that follows the pressed button
    found = pattern.search(main.inner_text())
    assert found is not None
    return found[0]


def test_a_broken_lamp_is_reported_without_an_account_and_followed(screen: Screen, keys: Keyboard) -> None:
    page = screen.page
    keys.fill(page.get_by_role("searchbox"), "lâmpada queimada")
    page.keyboard.press("Enter")
    follow(screen, keys, "Troca de lâmpada da iluminação pública", exact=True)
    follow(screen, keys, "Pedir aqui: lâmpada apagada")
    follow(screen, keys, "Pedir sem entrar")
    keys.set_checked(page.get_by_label("Piscando"), True)
    keys.fill(page.get_by_label("Rua e número"), "Rua das Acácias, 45")
    keys.fill(page.get_by_label("Bairro"), "Centro")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("main")).to_contain_text("Rua das Acácias, 45, Centro")
    page.go_back()
    expect(page.get_by_label("Rua e número")).to_have_value("Rua das Acácias, 45")
    keys.fill(page.get_by_label("Rua e número"), "")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("Falta acertar um campo")
    keys.fill(page.get_by_label("Rua e número"), "Rua das Acácias, 47")
    press(screen, keys, "Continuar")
    press(screen, keys, "Enviar o pedido")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pedido feito")
    number, code = read_text(screen, NUMBER), read_text(screen, CODE)
    assert number not in page.url
    assert code not in page.url
    keys.press(page.get_by_role("navigation", name="Principal").get_by_role("link", name="Pedidos"))
    follow(screen, keys, "Acompanhar um pedido")
    keys.fill(page.get_by_label("Número do pedido"), number)
    keys.fill(page.get_by_label("Código"), code.lower())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(number)
    expect(page.get_by_role("main")).to_contain_text("Recebido")
    assert screen.strangers == []


def test_a_citizen_asks_with_a_photo_and_finds_the_request(screen: Screen, keys: Keyboard, tmp_path: Path) -> None:
    page, picture = screen.page, tmp_path / "sofá.jpg"
    picture.write_bytes(photo(1600, 1200))
    keys.press(page.get_by_role("navigation", name="Principal").get_by_role("link", name="Pedidos"))
    follow(screen, keys, "Retirada de móveis e volumosos")
    follow(screen, keys, "Pedir com a minha conta")
    log_in(screen, keys, "gabriela")
    follow(screen, keys, "Começar", exact=True)
    keys.fill(page.get_by_label("O que deve ser retirado?"), "Um sofá de dois lugares")
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Quantos objetos?"), "1")
    press(screen, keys, "Continuar")
    keys.fill(page.get_by_label("Rua e número"), "Rua do Cais, 80")
    press(screen, keys, "Continuar")
    keys.go_to(page.get_by_label("Escolha um arquivo"))
    page.get_by_label("Escolha um arquivo").set_input_files(picture)
    press(screen, keys, "Enviar este arquivo e escolher mais um")
    expect(page.get_by_role("main")).to_contain_text("1. Foto de")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("heading", level=1)).to_contain_text("A partir de que dia?")
    press(screen, keys, "Guardar e sair")
    expect(page.get_by_role("main")).to_contain_text("Continue de onde parou: Retirada de móveis e volumosos")
    follow(screen, keys, "Continuar", exact=True)
    day, month, year = read_text(screen, re.compile(r"\d\d/\d\d/\d{4}(?= a)")).split("/")
    keys.fill(page.get_by_label("A partir de que dia?"), f"{year}-{month}-{day}")
    press(screen, keys, "Continuar")
    expect(page.get_by_role("main")).to_contain_text("1 arquivo")
    press(screen, keys, "Enviar o pedido")
    number = read_text(screen, NUMBER)
    follow(screen, keys, "Ver o pedido")
    expect(page.get_by_role("main")).to_contain_text("Você fez o pedido")
    with page.expect_download() as download:
        follow(screen, keys, "Baixar o arquivo 1")
    assert download.value.suggested_filename.endswith(".jpg")
    keys.press(page.get_by_role("link", name="Meus pedidos"))
    expect(page.get_by_role("main")).to_contain_text(number)
    assert screen.strangers == []


def test_task_19_carla_follows_her_request_about_the_lamp_and_answers(
    screen: Screen, keys: Keyboard, sandbox: Sandbox, tmp_path: Path
) -> None:
    page, picture = screen.page, tmp_path / "poste.jpg"
    picture.write_bytes(photo(800, 600))
    keys.press(page.get_by_role("banner").get_by_role("link", name="Minha página"))
    log_in(screen, keys, "carla")
    page.wait_for_url(f"**{PREFIX}")  # the first page is step 1
    follow(screen, keys, "Lâmpada apagada, Rua das Acácias, 45")  # step 2
    steps = page.get_by_role("listitem").filter(has=page.get_by_role("heading", level=3))
    expect(steps.first).to_contain_text("Você fez o pedido")
    expect(steps.nth(1)).to_contain_text("Equipe marcada para a próxima visita ao bairro.")
    expect(page.get_by_role("main")).to_contain_text("prazo")
    number = read_text(screen, NUMBER)
    if not page.get_by_role("main").get_by_role("link", name="Responder").count():  # the other width ran first
        token = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
        body = {"state": "needs_information", "text": "E a cor do poste?"}
        sandbox.http.post(f"/registry/v1/admin/maintenance-requests/{number}/steps", json=body, headers=token)
        page.reload()
    follow(screen, keys, "Responder")
    page.get_by_label("Foto ou documento").set_input_files(picture)
    press(screen, keys, "Enviar a resposta")
    expect(page.get_by_role("alert")).to_contain_text("Escreva a resposta.")
    expect(page.get_by_role("main")).to_contain_text("1. Foto de")  # the photo is not chosen again
    keys.fill(page.get_by_label("A sua resposta"), "É o poste 1234.")
    press(screen, keys, "Enviar a resposta")
    expect(page.get_by_role("status")).to_contain_text("A resposta foi enviada.")
    expect(page.get_by_role("main")).to_contain_text("Você respondeu")
    with page.expect_download() as download:
        follow(screen, keys, "Baixar o arquivo 1")
    assert download.value.suggested_filename.endswith(".jpg")
    assert screen.strangers == []
