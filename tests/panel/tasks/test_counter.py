"""Tasks 29 to 34 and 40, for clerks, the data protection officer and a citizen, in a real browser."""

import asyncio
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest
from playwright.sync_api import expect

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from tests.support.demo_people import CARLA
from tests.support.open_platform import opened
from tests.support.panel_person import Person
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.page

PersonOf = Callable[..., Person]
_numbers = itertools.count(1)


def serve(person: Person, reason: str = "Andamento de um chamado", detail: str = "senha 47") -> None:
    """Fill in the form that starts an attendance of Carla."""
    person.select("Motivo do acesso", reason)
    person.fill("Detalhe", detail)
    person.fill("CPF", "\u200b900.000.003\u201337\u00a0 ")
    person.press("Começar o atendimento")


@pytest.mark.task(29)
def test_who_is_served_sees_why_their_data_were_read(person_of: PersonOf) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant)
    expect(attendant.heading).to_have_text("Carla Nogueira")
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
    attendant.expect_text("comece outro e informe o motivo")
    carla = person_of("carla", "/painel/meus-dados/quem-viu")
    carla.expect_text("Andamento de um chamado: senha 47")
    assert "Luiz" not in carla.page.get_by_role("main").inner_text()


@pytest.mark.task(29)
def test_who_brings_no_cpf_is_found_by_name_and_birth(person_of: PersonOf) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    attendant.select("Motivo do acesso", "Atendimento no balcão")
    attendant.act(attendant.page.get_by_text("Não sabe o CPF?"))
    attendant.fill("Nome", "carla nogueira")
    attendant.fill("Nascimento", "1972-02-20")
    attendant.press("Começar o atendimento")
    attendant.expect_text("***.000.003-**")
    attendant.press("É esta pessoa", exact=False)
    expect(attendant.heading).to_have_text("Carla Nogueira")


@pytest.mark.task(30)
def test_without_a_reason_nothing_is_read(person_of: PersonOf, count_events: Callable[[], int]) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    before = count_events()
    attendant.fill("CPF", CARLA)
    attendant.press("Começar o atendimento")
    expect(attendant.page.get_by_role("alert")).to_contain_text("Diga por que precisa ver os dados.")
    expect(attendant.page.get_by_label("CPF").first).to_have_value(CARLA)
    assert count_events() == before


@pytest.fixture
def count_events(sandbox: Sandbox) -> Callable[[], int]:
    """Return a function that counts how often staff have read people's data."""

    async def ask() -> int:
        connection = await asyncpg.connect(sandbox.database_url)
        try:
            wanted = "SELECT count(*) FROM platform.audit_event WHERE actor_kind = 'staff' AND subject IS NOT NULL"
            return int(await connection.fetchval(wanted))
        finally:
            await connection.close()

    def count() -> int:
        with ThreadPoolExecutor(1) as thread:  # the browser occupies the event loop of this thread
            return thread.submit(asyncio.run, ask()).result()

    return count


@pytest.mark.task(31)
def test_a_phone_is_changed_by_the_code_that_reaches_it(person_of: PersonOf, read_code: Callable[[str], str]) -> None:
    number = f"98700{next(_numbers):04}"
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant, "Atualização do cadastro a pedido da pessoa", "")
    attendant.follow("Telefone")
    attendant.fill("Telefone", f" (21)\u00a0{number[:5]}\u2011{number[5:]}\u200b")
    attendant.press("Enviar o código")
    code = read_code(f"5521{number}")
    attendant.fill("Código", "000000" if code != "000000" else "111111")
    attendant.press("Confirmar")
    expect(attendant.page.get_by_role("alert")).to_contain_text("O código não confere ou já venceu")
    attendant.fill("Código", f"{code[:3]} {code[3:]}\u00a0")
    attendant.press("Confirmar")
    attendant.expect_text("O telefone foi confirmado")
    row = attendant.page.get_by_role("row", name="Telefone")
    expect(row).to_contain_text(f"(21) {number[:5]}-{number[5:]}")
    expect(row).to_contain_text("Por atendente")


@pytest.fixture
def read_code(sandbox: Sandbox) -> Callable[[str], str]:
    """Return a function that runs the worker and returns the newest code that was sent to a number."""

    async def work() -> None:
        platform = assemble(sandbox.settings, sandbox.database_url)
        async with opened(platform):
            await Worker(platform.database, app.list_job_kinds(), platform).drain()

    def read(number: str) -> str:
        with ThreadPoolExecutor(1) as thread:  # the browser occupies the event loop of this thread
            thread.submit(asyncio.run, work()).result()
        return str(sandbox.crm.switch.get("/codes", params={"to": number}).json()[-1]["code"])

    return read


@pytest.mark.task(32)
def test_sensitive_data_are_closed_and_opening_them_is_in_the_trail(person_of: PersonOf) -> None:
    attendant = person_of("luiz", "/painel/atendimento")
    serve(attendant)
    row = attendant.page.get_by_role("row", name="Raça ou cor")
    expect(row).to_contain_text("oculto")
    attendant.press("Mostrar dados sensíveis")
    expect(row).not_to_contain_text("oculto")
    attendant.follow("Quem viu")
    attendant.expect_text("Leu o cadastro e os dados sensíveis")
    attendant.follow("Cadastro")
    expect(row).to_contain_text("oculto")


def begin(officer: Person, cpf: str = CARLA) -> None:
    officer.select("Motivo do acesso", "Pedido do titular dos dados")
    officer.fill("CPF", cpf)
    officer.press("Continuar")


@pytest.mark.task(33)
def test_the_officer_sees_who_saw_a_person_and_why(person_of: PersonOf) -> None:
    officer = person_of("debora", "/painel/dados/titular")
    begin(officer)
    officer.expect_text("Quem viu ou mudou, em 30 dias")
    officer.expect_text("Pedido do titular dos dados")
    officer.follow("Ver na trilha")
    officer.expect_text("De uma pessoa: ***.000.003-**")
    officer.screen.unfold_filters()
    officer.fill("De", "2026-01-01")
    officer.press("Filtrar")
    officer.expect_text("O período tem mais de 31 dias")
    officer.leave(officer.page.locator(".note.at").get_by_role("link").first)
    officer.expect_text("De uma pessoa: ***.000.003-**")


@pytest.mark.task(34)
def test_an_anonymisation_is_rehearsed_confirmed_and_proven(person_of: PersonOf) -> None:
    elisa = "90000000507"  # a person who has made notification choices
    officer = person_of("debora", "/painel/dados/titular")
    begin(officer, elisa)
    officer.follow("Anonimizar…")
    officer.press("Simular")
    officer.expect_text("Simulação: nada mudou ainda")
    officer.press("Apagar de vez")
    expect(officer.page.get_by_role("alert")).to_contain_text("Escreva APAGAR")
    officer.fill("Para confirmar, escreva APAGAR", "APAGAR")
    officer.press("Apagar de vez")
    officer.expect_text("Este é o comprovante")
    officer.expect_text("Provas de consentimento")
    officer.follow("Voltar")
    officer.follow("Provas de consentimento")
    officer.expect_text("Recusou")
    officer.open("/painel/dados/guarda")
    officer.expect_text("em 30 dias")


@pytest.mark.task(40)
def test_a_citizen_sees_who_looked_takes_a_copy_and_refuses_a_subject(
    person_of: PersonOf,
) -> None:
    carla = person_of("carla", "/painel/meus-dados")
    carla.expect_text("20/02/1972")
    carla.follow("Quem viu os meus dados")
    carla.open("/painel/meus-dados")
    carla.follow("Levar uma cópia")
    copy = carla.save(lambda: carla.act(carla.main.get_by_role("button", name="Levar a cópia")))
    assert "Carla Nogueira" in copy
    carla.open("/painel/meus-dados/mensagens")
    subject = carla.page.get_by_label("Eventos")
    was_accepted = subject.is_checked()
    carla.tick("Eventos", checked=not was_accepted)
    carla.press("Gravar as preferências")
    change = "recusa" if was_accepted else "aceita"
    carla.expect_text(f"A escolha foi gravada e está no histórico: agora {change} Eventos.")
    expect(carla.page.locator(".timeline li").first).to_contain_text(
        f"{'Recusou' if was_accepted else 'Aceitou'} Eventos"
    )


@pytest.mark.parametrize("path", ["/painel/telefones", "/painel/orgaos", "/painel/catalogo-de-veiculos"])
def test_a_refused_form_of_the_area_says_what_to_do(person_of: PersonOf, path: str) -> None:
    person = person_of("marina", path)
    if path == "/painel/telefones":
        person.press("Procurar")
        expect(person.page.get_by_role("alert")).to_contain_text("2 campos precisam")
    elif path == "/painel/orgaos":
        person.fill("Nome ou sigla", "nada disso")
        person.press("Filtrar")
        person.expect_text("Nada foi encontrado com estes filtros.")
    else:
        person.press("Incluir a marca")
        expect(person.page.get_by_role("alert")).to_contain_text("Escreva o nome da marca.")
