"""Axe finds no violation on the pages of requests, in any of their states, and no page is wider than its screen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks
from tests.support.sample_files import photo
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = choose_looks(1280, 360, 320)
HOLE = "/pedidos/tipo/buraco_na_rua"
ASK, OWN = f"{PREFIX}/pedir/coleta_de_volumosos", f"{PREFIX}/pedidos"


@pytest.fixture(params=LOOKS, ids=lambda look: "-".join(map(str, look)))
def screen(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Screen:
    width, scheme = request.param
    return screen_of(width, color_scheme=scheme)


def inspect(screen: Screen) -> None:
    """Check the open page."""
    screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert screen.axe() == [], screen.page.url
    assert screen.wider_than_the_screen() == [], screen.page.url


def press(screen: Screen, name: str) -> None:
    """Press a button, and check the page that it opens."""
    with screen.page.expect_navigation():
        screen.page.get_by_role("button", name=name, exact=True).click()
    inspect(screen)


def test_every_state_of_a_request_without_login(screen: Screen) -> None:
    page = screen.page
    for path in ("/pedidos", HOLE, "/pedidos/tipo/coleta_de_volumosos", f"{HOLE}/sem-conta", "/pedidos/acompanhar"):
        screen.open(path)
        inspect(screen)
    press(screen, "Ver o pedido")
    page.get_by_label("Número do pedido").fill("PED-00000001-8")
    page.get_by_label("Código").fill("K7QM-3XRD-9TWA")
    press(screen, "Ver o pedido")
    screen.open(f"{HOLE}/sem-conta")
    page.get_by_label("Desde quando?").fill("2001-01-01")
    press(screen, "Continuar")
    page.get_by_label("Desde quando?").fill("")
    page.get_by_label("Rua e número").fill("Avenida do Porto, 300")
    page.get_by_label("Cabe uma roda").check()
    press(screen, "Continuar")
    press(screen, "Enviar o pedido")
    press(screen, "Ver como está")
    assert [one for one in screen.complaints if "422" not in one] == []


def test_every_state_of_a_citizens_request(screen: Screen, sandbox: Sandbox, tmp_path: Path) -> None:
    page, picture, text, large = screen.page, tmp_path / "a.jpg", tmp_path / "a.txt", tmp_path / "large.jpg"
    picture.write_bytes(photo(400, 300))
    text.write_text("não é uma foto", "utf-8")
    page.goto(ASK)
    page.get_by_label("CPF ou usuário").fill("gabriela")
    page.get_by_label("Senha").fill(people_by_login()["gabriela"].password)
    page.get_by_role("button", name="Entrar").click()
    page.wait_for_url(f"**{ASK}")
    inspect(screen)
    screen.open(f"{ASK}/pergunta/1")
    inspect(screen)
    press(screen, "Continuar")
    page.get_by_label("O que deve ser retirado?").fill("Um sofá")
    press(screen, "Continuar")
    page.get_by_label("Quantos objetos?").fill("99")
    press(screen, "Continuar")
    page.get_by_label("Quantos objetos?").fill("2")
    press(screen, "Continuar")
    press(screen, "Continuar")
    page.get_by_label("Rua e número").fill("Rua do Cais, 80")
    press(screen, "Continuar")
    page.get_by_label("Escolha um arquivo").set_input_files(text)
    press(screen, "Continuar")
    page.get_by_label("Escolha um arquivo").set_input_files(picture)
    press(screen, "Enviar este arquivo e escolher mais um")
    press(screen, "Continuar")
    page.get_by_label("A partir de que dia?").fill("2001-01-01")
    press(screen, "Continuar")
    day, month, year = page.locator(".dica").inner_text()[3:13].split("/")
    page.get_by_label("A partir de que dia?").fill(f"{year}-{month}-{day}")
    press(screen, "Continuar")
    press(screen, "Enviar o pedido")
    number = page.locator(".fatos dd").first.inner_text()
    token = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    steps = f"/registry/v1/admin/maintenance-requests/{number}/steps"
    asked = {"state": "needs_information", "text": "Pode mandar uma foto?"}
    assert sandbox.http.post(steps, json=asked, headers=token).status_code == 200
    screen.open(f"{OWN}/{number}/responder")
    inspect(screen)
    page.get_by_label("Foto ou documento").set_input_files(text)
    press(screen, "Enviar a resposta")
    for size, shown in (
        (6, "O arquivo é grande demais: pode ter até 5 MB."),
        (11, "O formulário não chegou a ser lido"),
    ):
        large.write_bytes(bytes(size * 1_048_576))
        page.get_by_label("Foto ou documento").set_input_files(large)
        press(screen, "Enviar a resposta")
        expect(page.get_by_role("main")).to_contain_text(shown)
    screen.open(f"{OWN}/{number}/responder")
    page.get_by_label("Foto ou documento").set_input_files(picture)
    press(screen, "Enviar este arquivo e escolher mais um")
    page.get_by_label("A sua resposta").fill("Segue a foto.")
    press(screen, "Enviar a resposta")
    for state, told, tails in [
        ("needs_information", "Em que andar?", ["", "/responder"]),
        ("done", "Retirado.", ["", "/nota", "/reabrir"]),
    ]:
        assert sandbox.http.post(steps, json={"state": state, "text": told}, headers=token).status_code == 200
        for tail in tails:
            screen.open(f"{OWN}/{number}{tail}")
            inspect(screen)
    press(screen, "Reabrir o pedido")
    screen.open(f"{OWN}/{number}/nota")
    press(screen, "Guardar a nota")
    screen.open(OWN)
    inspect(screen)
    assert [one for one in screen.complaints if "422" not in one and "413" not in one] == []
