"""Tasks at the counter, of the data protection officer and of a citizen, in a real browser.

Every page on the way is looked at: nothing that axe finds, nothing wider than the screen, no CPF in its address or its
title, and none in a cookie.
"""

import asyncio
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from playwright.sync_api import Page, expect

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from tests.support.cast import CARLA
from tests.support.opening import opened
from tests.support.sandbox import Sandbox
from tests.support.screen import Screen
from tests.support.sizes import FULL

pytestmark = [pytest.mark.page, pytest.mark.node]

WIDE: dict[str, Any] = {"width": 1280}
WAYS = [WIDE, {"width": 360}, {"width": 1280, "java_script_enabled": False}] if FULL else [WIDE]
_numbers = itertools.count(1)
CPFS = {CARLA, "900.000.003-37"}


class Person:
    """Somebody at the panel who looks at every page."""

    def __init__(self, screen: Screen, *, has_script: bool) -> None:
        self.screen = screen
        self._has_script = has_script

    @property
    def page(self) -> Page:
        return self.screen.page

    def press(self, name: str) -> None:
        """Press a button, and look at what it leads to."""
        self.page.get_by_role("button", name=name).first.click()
        self.look()

    def follow(self, name: str) -> None:
        """Follow a link of the page, and look at what it leads to."""
        self.page.get_by_role("main").get_by_role("link", name=name).first.click()
        self.look()

    def look(self) -> None:
        """Look at the page: axe comes in by a script, and where there is none nothing is looked at but the address."""
        self.page.wait_for_load_state()
        named = f"{self.page.url} {self.page.title()} {self.page.context.cookies()}"
        assert not any(cpf in named for cpf in CPFS)
        if self._has_script:
            assert self.screen.axe() == [], self.page.url
            assert self.screen.wider_than_the_screen() == [], self.page.url

    def expect_text(self, text: str) -> None:
        expect(self.page.get_by_role("main")).to_contain_text(text)


@pytest.fixture(params=WAYS, ids=lambda way: "-".join(map(str, way.values())))
def person_of(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Callable[..., Person]:
    way = request.param

    def login(username: str, path: str) -> Person:
        person = Person(screen_of(**way), has_script=way.get("java_script_enabled", True))
        person.screen.login(username, path)
        person.look()
        return person

    return login


def serve(person: Person, reason: str = "Andamento de um chamado", detail: str = "senha 47") -> None:
    """Begin to serve Carla."""
    person.page.get_by_label("Motivo do acesso").select_option(reason)
    person.page.get_by_label("Detalhe").fill(detail)
    person.page.get_by_label("CPF").first.fill("900.000.003-37")
    person.press("Começar o atendimento")


def test_29_who_is_served_sees_why_their_data_were_read(person_of: Callable[..., Person]) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant)
    expect(attendant.page.get_by_role("heading", level=1)).to_have_text("Carla Nogueira")
    row = attendant.page.get_by_role("row", name="Nascimento")
    expect(row).to_contain_text("20/02/1972")
    expect(row).to_contain_text("Cidade")
    attendant.follow("No CRM")
    attendant.expect_text("carla.antiga@correio.example")
    attendant.follow("Animais, veículos e empresas")
    attendant.press("Encerrar atendimento")
    attendant.expect_text("O atendimento foi encerrado.")
    attendant.page.go_back()
    attendant.page.reload()
    attendant.expect_text("comece outro e diga o motivo")
    carla = person_of("carla", "/painel/meus-dados/quem-viu")
    carla.expect_text("Andamento de um chamado: senha 47")
    assert "Luiz" not in carla.page.get_by_role("main").inner_text()


def test_29_who_brings_no_cpf_is_found_by_name_and_birth(person_of: Callable[..., Person]) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    attendant.page.get_by_label("Motivo do acesso").select_option("Atendimento no balcão")
    attendant.page.get_by_text("Não sabe o CPF?").click()
    attendant.page.get_by_label("Nome", exact=True).fill("carla nogueira")
    attendant.page.get_by_label("Nascimento").fill("1972-02-20")
    attendant.press("Começar o atendimento")
    attendant.expect_text("***.000.003-**")
    attendant.press("É esta pessoa")
    expect(attendant.page.get_by_role("heading", level=1)).to_have_text("Carla Nogueira")


def test_30_without_a_reason_nothing_is_read(person_of: Callable[..., Person], count_events: Callable[[], int]) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    before = count_events()
    attendant.page.get_by_label("CPF").first.fill(CARLA)
    attendant.press("Começar o atendimento")
    expect(attendant.page.get_by_role("alert")).to_contain_text("Diga por que vai ver os dados.")
    expect(attendant.page.get_by_label("CPF").first).to_have_value(CARLA)
    assert count_events() == before


@pytest.fixture
def count_events(sandbox: Sandbox) -> Callable[[], int]:
    """How often somebody's data were read by staff."""

    async def ask() -> int:
        connection = await asyncpg.connect(sandbox.database_url)
        try:
            wanted = "SELECT count(*) FROM platform.audit_event WHERE actor_kind = 'staff' AND subject IS NOT NULL"
            return int(await connection.fetchval(wanted))
        finally:
            await connection.close()

    def count() -> int:
        with ThreadPoolExecutor(1) as thread:  # the browser has this one's event loop
            return thread.submit(asyncio.run, ask()).result()

    return count


def test_31_a_phone_is_changed_by_the_code_that_reaches_it(
    person_of: Callable[..., Person], read_code: Callable[[str], str]
) -> None:
    number = f"98700{next(_numbers):04}"
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant, "Atualização do cadastro a pedido da pessoa", "")
    attendant.follow("Telefone")
    attendant.page.get_by_label("DDD").fill("21")
    attendant.page.get_by_label("Número").fill(number)
    attendant.press("Enviar o código")
    code = read_code(f"5521{number}")
    attendant.page.get_by_label("Código").fill("000000" if code != "000000" else "111111")
    attendant.press("Confirmar")
    expect(attendant.page.get_by_role("alert")).to_contain_text("peça outro código")
    attendant.page.get_by_label("Código").fill(code)
    attendant.press("Confirmar")
    attendant.expect_text("O telefone foi confirmado")
    row = attendant.page.get_by_role("row", name="Telefone")
    expect(row).to_contain_text(number)
    expect(row).to_contain_text("Por atendente")


@pytest.fixture
def read_code(sandbox: Sandbox) -> Callable[[str], str]:
    """The newest code that reached a number, once the worker has done its part."""

    async def work() -> None:
        platform = assemble(sandbox.settings, sandbox.database_url)
        async with opened(platform):
            await Worker(platform.database, app.list_jobs(), platform).drain()

    def read(number: str) -> str:
        with ThreadPoolExecutor(1) as thread:  # the browser has this one's event loop
            thread.submit(asyncio.run, work()).result()
        return str(sandbox.crm.switch.get("/codes", params={"to": number}).json()[-1]["code"])

    return read


def test_32_sensitive_data_are_closed_and_opening_them_is_in_the_trail(person_of: Callable[..., Person]) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant)
    row = attendant.page.get_by_role("row", name="Raça ou cor")
    expect(row).to_contain_text("fechado")
    attendant.press("Mostrar dados sensíveis")
    expect(row).not_to_contain_text("fechado")
    attendant.follow("Quem viu")
    attendant.expect_text("Leu o cadastro e os dados sensíveis")
    attendant.follow("Cadastro")
    expect(row).to_contain_text("fechado")


def begin(officer: Person, cpf: str = CARLA) -> None:
    officer.page.get_by_label("Motivo do acesso").select_option("Pedido do titular dos dados")
    officer.page.get_by_label("CPF").fill(cpf)
    officer.press("Continuar")


def test_33_the_officer_sees_who_saw_a_person_and_why(person_of: Callable[..., Person]) -> None:
    officer = person_of("debora", "/painel/dados/titular")
    begin(officer)
    officer.expect_text("Quem viu ou mudou, em 30 dias")
    officer.expect_text("Pedido do titular dos dados")
    officer.follow("Ver na trilha")
    officer.expect_text("De uma pessoa: ***.000.003-**")
    officer.page.get_by_label("De", exact=True).fill("2026-01-01")
    officer.press("Filtrar")
    officer.expect_text("O período tem mais de 31 dias")
    officer.page.get_by_role("alert").or_(officer.page.locator(".note.at")).get_by_role("link").first.click()
    officer.look()
    officer.expect_text("De uma pessoa: ***.000.003-**")


def test_34_an_anonymisation_is_rehearsed_confirmed_and_proven(person_of: Callable[..., Person]) -> None:
    elisa = "90000000507"  # who has made choices
    officer = person_of("debora", "/painel/dados/titular")
    begin(officer, elisa)
    officer.follow("Anonimizar…")
    officer.press("Simular")
    officer.expect_text("Simulação: nada mudou ainda")
    officer.press("Apagar de vez")
    expect(officer.page.get_by_role("alert")).to_contain_text("Escreva APAGAR")
    officer.page.get_by_label("Para confirmar").fill("APAGAR")
    officer.press("Apagar de vez")
    officer.expect_text("Este é o comprovante")
    officer.expect_text("Provas de consentimento")
    officer.follow("Voltar")
    officer.follow("Provas de consentimento")
    officer.expect_text("Recusou")
    officer.page.goto("/painel/dados/guarda")
    officer.look()
    officer.expect_text("anonimizadas em 30 dias")


def test_40_a_citizen_sees_who_looked_takes_a_copy_and_refuses_a_subject(
    person_of: Callable[..., Person], tmp_path: Path
) -> None:
    carla = person_of("carla", "/painel/meus-dados")
    carla.expect_text("20/02/1972")
    carla.follow("Quem viu os meus dados")
    carla.page.goto("/painel/meus-dados")
    carla.follow("Levar uma cópia")
    with carla.page.expect_download() as download:
        carla.page.get_by_role("button", name="Levar a cópia").click()
    file = tmp_path / "copia.json"
    download.value.save_as(file)
    assert "Carla Nogueira" in file.read_text()
    carla.page.goto("/painel/meus-dados/mensagens")
    subject = carla.page.get_by_label("Eventos")
    was_accepted = subject.is_checked()
    subject.set_checked(not was_accepted)
    carla.press("Gravar as preferências")
    carla.expect_text("A escolha foi gravada e está no histórico.")
    expect(carla.page.locator(".timeline li").first).to_contain_text(
        f"{'Recusou' if was_accepted else 'Aceitou'} Eventos"
    )


@pytest.mark.parametrize("path", ["/painel/telefones", "/painel/orgaos", "/painel/catalogo-de-veiculos"])
def test_a_refused_form_of_the_area_says_what_to_do(person_of: Callable[..., Person], path: str) -> None:
    person = person_of("marina", path)
    if path == "/painel/telefones":
        person.press("Procurar")
        expect(person.page.get_by_role("alert")).to_contain_text("2 campos precisam")
    elif path == "/painel/orgaos":
        person.page.get_by_label("Nome ou sigla").fill("nada disso")
        person.press("Filtrar")
        person.expect_text("Nada foi encontrado com estes filtros.")
    else:
        person.press("Incluir a marca")
        expect(person.page.get_by_role("alert")).to_contain_text("Escreva o nome da marca.")
