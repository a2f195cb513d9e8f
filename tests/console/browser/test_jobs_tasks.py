"""What who works with jobs does all day, from the first page to its end, in a real browser (tasks 16 to 20)."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.paths import sandbox_application_id
from tests.support.sandbox import Sandbox
from tests.support.screen import Screen

pytestmark = pytest.mark.page

KITCHEN, APPROVAL, DRAFT = (f"/painel/vagas/{sandbox_job_id(name)}" for name in ("V9", "V11", "V12"))
# A part of a thousand is done in a moment; the machine that tests run on may be busy.
PATIENT = 60_000


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def follow(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("link", name=name, exact=True).click()


def test_a_job_is_drafted_completed_and_sent_to_approval(screen: Screen) -> None:
    screen.login("helio")
    page = screen.page
    page.get_by_role("navigation", name="Áreas").get_by_role("link", name="Vagas").click()
    follow(page, "Nova vaga")
    press(page, "Gravar rascunho")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Título").fill("Costureira de uniformes")
    page.get_by_label("CNPJ da empresa").fill("90.000.001/0001-29")
    page.get_by_label("Descrição", exact=True).fill("Ajustes e reparos de uniformes.")
    page.get_by_label("Regime de contratação").select_option(label="CLT")
    page.get_by_label("Modelo de trabalho").select_option(label="Presencial")
    press(page, "Acrescentar uma etapa")
    expect(page.get_by_label("Título")).to_have_value("Costureira de uniformes")
    page.get_by_label("Etapa", exact=True).fill("Entrevista")
    page.get_by_label("O que acontece nela").fill("Conversa na oficina.")
    press(page, "Gravar rascunho")
    heading(page, "Costureira de uniformes")
    follow(page, "Enviar para aprovação")
    press(page, "Enviar para aprovação")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Faltam 5 campos")
    alert.get_by_role("link", name="Bairro do trabalho").click()
    expect(page.get_by_label("Bairro do trabalho")).to_be_visible()
    page.get_by_label("Órgão").select_option(label="Secretaria de Saúde (SMS)")
    page.get_by_label("Bairro do trabalho").fill("Centro")
    page.get_by_label("Inscrições até").fill("2099-12-01")
    page.get_by_label("Requisitos").fill("Saber usar máquina reta.")
    page.get_by_label("Responsabilidades").fill("Ajustar e reparar.")
    press(page, "Gravar")
    follow(page, "Enviar para aprovação")
    press(page, "Enviar para aprovação")
    expect(page.locator(".sub .tag")).to_have_text("Em aprovação")
    assert screen.strangers == []


def test_a_job_that_waits_is_published_and_everybody_finds_it(screen: Screen, sandbox: Sandbox) -> None:
    screen.login("helio")
    page = screen.page
    page.get_by_role("link", name="Eletricista predial", exact=True).click()
    follow(page, "Publicar")
    press(page, "Publicar")
    expect(page.locator(".sub .tag")).to_have_text("Publicada")
    public = f"{sandbox.url}/jobs/api/public/empregabilidade/vagas"
    found = httpx.get(public, params={"search": "eletricista"}).json()
    assert [job["titulo"] for job in found["data"]] == ["Eletricista predial"]


def test_two_people_write_one_job_and_nothing_is_lost(screen_of: Callable[..., Screen]) -> None:
    first, second = screen_of(), screen_of()
    for screen, who in ((first, "helio"), (second, "gilda")):
        screen.login(who, f"{DRAFT}/editar")
    first.page.get_by_label("Bairro do trabalho").fill("Farol")
    first.page.get_by_label("Título").fill("Aprendiz de logística (manhã)")
    press(first.page, "Gravar")
    second.page.get_by_label("Requisitos").fill("Ter de 16 a 22 anos e estudar.")
    second.page.get_by_label("Título").fill("Aprendiz de depósito")
    press(second.page, "Gravar")
    expect(second.page.get_by_role("alert")).to_contain_text("Outra pessoa gravou esta vaga")
    expect(second.page.get_by_label("Bairro do trabalho")).to_have_value("Farol")
    expect(second.page.get_by_label("Título")).to_have_value("Aprendiz de depósito")
    expect(second.page.locator(".note .prose")).to_have_text("Aprendiz de logística (manhã)")
    press(second.page, "Gravar")
    heading(second.page, "Aprendiz de depósito")
    first.page.reload()
    expect(first.page.get_by_role("main")).to_contain_text("Farol")
    expect(first.page.get_by_role("main")).to_contain_text("Ter de 16 a 22 anos e estudar.")


def test_six_people_are_rejected_after_a_question_that_names_them(screen: Screen) -> None:
    screen.login("helio", f"{KITCHEN}/candidaturas?aba=nenhuma&situacao=candidatura_enviada")
    page = screen.page
    names = [page.locator("tbody th a").nth(place).inner_text() for place in range(6)]
    for name in names:
        page.get_by_role("checkbox", name=f"Marcar {name}", exact=True).check()
    press(page, "Reprovar…")
    expect(page.get_by_role("heading", name="Reprovar: 6 pessoas?")).to_be_visible()
    for name in names:
        expect(page.get_by_role("main")).to_contain_text(name)
    press(page, "Reprovar: 6 pessoas")
    expect(page.get_by_text("6 feitas")).to_be_visible(timeout=PATIENT)
    page.goto(f"{KITCHEN}/candidaturas?situacao=reprovada")
    for name in names:
        expect(page.get_by_role("link", name=name, exact=True).first).to_be_visible()


def test_everybody_without_a_step_is_moved_while_the_page_is_left(screen: Screen) -> None:
    screen.login("helio", KITCHEN)
    page = screen.page
    follow(page, "Ver candidaturas")
    page.get_by_role("link", name="Sem etapa").click()
    follow(page, "Marcar todas as 214")
    page.get_by_label("Etapa", exact=True).select_option(label="2. Entrevista")
    press(page, "Mover…")
    press(page, "Mover para Entrevista: 214 pessoas")
    page.goto("/painel/empresas")
    page.goto("/painel")
    item = page.get_by_role("link", name="Mover para Entrevista").first
    expect(item).to_be_visible()
    item.click()
    expect(page.get_by_text("terminada")).to_be_visible(timeout=PATIENT)
    page.reload()
    expect(page.get_by_text("não puderam").first).to_be_visible()
    expect(page.get_by_text("a situação dela não permite").first).to_be_visible()
    press(page, "Tentar de novo só estas")
    expect(page.get_by_role("heading", level=2, name="Mover para Entrevista")).to_be_visible()


@pytest.mark.node
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_and_no_page_is_too_wide(screen_of: Callable[..., Screen], width: int) -> None:
    screen = screen_of(width)
    screen.login("gilda")
    for address in (
        KITCHEN,
        f"{KITCHEN}/editar",
        f"{KITCHEN}/candidaturas",
        f"{KITCHEN}/mudar/congelar",
        f"{KITCHEN}/excluir",
        f"/painel/candidaturas/{sandbox_application_id('3-V9')}",
        "/painel/vagas/nova",
        "/painel/vagas?busca=nada+disso",
        "/painel/empresas/nova?cnpj=90.000.007/0001-04",
        "/painel/empresas/90000001000129",
        "/painel/vagas/listas/escolaridades",
        "/painel/vagas/antigas/nova",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
