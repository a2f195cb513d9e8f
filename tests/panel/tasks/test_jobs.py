"""Tasks 16 to 22, for people who work with jobs, in a real browser, starting from the first page."""

import asyncio
import csv
import io
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.panel.jobs.bulk import service as bulk
from tests.support.panel_person import Person
from tests.support.polling import PATIENCE
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.page

PersonOf = Callable[..., Person]
KITCHEN, DRAFT, FOREIGN = (f"/painel/vagas/{sandbox_job_id(name)}" for name in ("V9", "V12", "V7"))
# A timeout in milliseconds. It takes only a moment to process a thousand applications, but the machine may be busy.
PATIENT = 60_000


@pytest.mark.task(16)
def test_a_job_is_drafted_completed_and_sent_to_approval(person_of: PersonOf) -> None:
    person = person_of("helio")
    page = person.page
    person.visit_area("Vagas")
    person.follow("Nova vaga")
    person.press("Gravar rascunho")
    expect(page.get_by_role("alert")).to_be_focused()
    person.fill("Título", "Costureira de uniformes")
    person.fill("Empresa", "Padaria Aurora")
    person.fill("Descrição", "Ajustes e reparos de uniformes.")
    person.select("Regime de contratação", "CLT")
    person.select("Modelo de trabalho", "Presencial")
    person.press("Acrescentar uma etapa")
    expect(page.get_by_label("Título")).to_have_value("Costureira de uniformes")
    person.fill("Etapa", "Entrevista")
    person.fill("O que acontece nela", "Conversa na oficina.")
    person.press("Gravar rascunho")
    expect(person.heading).to_have_text("Costureira de uniformes")
    person.follow("Enviar para aprovação")
    person.press("Enviar para aprovação")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Faltam 5 campos")
    person.follow("Bairro do trabalho", alert)
    expect(page.get_by_label("Bairro do trabalho")).to_be_visible()
    person.select("Órgão", "Secretaria de Trabalho (SMTE)")
    person.fill("Bairro do trabalho", "Centro")
    person.fill("Inscrições até", "2099-12-01")
    person.fill("Requisitos", "Saber usar máquina reta.")
    person.fill("Responsabilidades", "Ajustar e reparar.")
    person.press("Gravar")
    person.follow("Enviar para aprovação")
    person.press("Enviar para aprovação")
    expect(page.locator(".sub .tag")).to_have_text("Em aprovação")
    assert person.screen.strangers == []


@pytest.mark.task(17)
def test_a_job_that_waits_is_published_and_everybody_finds_it(person_of: PersonOf, sandbox: Sandbox) -> None:
    person = person_of("helio")
    page = person.page
    person.follow("Eletricista predial")
    person.follow("Publicar")
    person.press("Publicar")
    expect(page.get_by_role("status")).to_contain_text("A vaga “Eletricista predial” está publicada.")
    public = f"{sandbox.url}/jobs/api/public/empregabilidade/vagas"
    found = httpx.get(public, params={"search": "eletricista"}).json()
    assert [job["titulo"] for job in found["data"]] == ["Eletricista predial"]


def test_two_people_write_one_job_and_nothing_is_lost(person_of: PersonOf) -> None:
    first, second = (person_of(who, f"{DRAFT}/editar") for who in ("helio", "gilda"))
    first.fill("Bairro do trabalho", "Farol")
    first.fill("Título", "Aprendiz de logística (manhã)")
    first.press("Gravar")
    second.fill("Requisitos", "Ter de 16 a 22 anos e estudar.")
    second.fill("Título", "Aprendiz de depósito")
    second.press("Gravar")
    expect(second.page.get_by_role("alert")).to_contain_text("Outra pessoa gravou esta vaga")
    expect(second.page.get_by_label("Bairro do trabalho")).to_have_value("Farol")
    expect(second.page.get_by_label("Título")).to_have_value("Aprendiz de depósito")
    expect(second.page.locator(".note .prose")).to_have_text("Aprendiz de logística (manhã)")
    second.press("Gravar")
    expect(second.heading).to_have_text("Aprendiz de depósito")
    first.page.reload()
    expect(first.page.get_by_role("main")).to_contain_text("Farol")
    expect(first.page.get_by_role("main")).to_contain_text("Ter de 16 a 22 anos e estudar.")


@pytest.mark.task(20)
def test_six_people_are_rejected_after_a_question_that_names_them(person_of: PersonOf) -> None:
    person = person_of("helio", f"{KITCHEN}/candidaturas?aba=nenhuma&situacao=candidatura_enviada")
    page = person.page
    names = [page.locator("tbody th a").nth(place).inner_text() for place in range(6)]
    for name in names:
        person.tick(f"Marcar {name}")
    person.press("Reprovar…")
    expect(page.get_by_role("heading", name="Reprovar: 6 pessoas?")).to_be_visible()
    for name in names:
        expect(page.get_by_role("main")).to_contain_text(name)
    person.press("Reprovar: 6 pessoas")
    person.expect_progress("6 feitas", PATIENT)
    person.open(f"{KITCHEN}/candidaturas?situacao=reprovada")
    for name in names:
        expect(page.get_by_role("link", name=name, exact=True).first).to_be_visible()


@pytest.mark.task(19)
def test_everybody_without_a_step_is_moved_while_the_page_is_left(
    person_of: PersonOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start the work only after the person has left the page. An open page would mark the result as already seen."""
    left, call = threading.Event(), bulk._Run._call

    async def call_once_left(run: bulk._Run, part: Any) -> Any:
        await asyncio.to_thread(left.wait, PATIENCE)
        return await call(run, part)

    monkeypatch.setattr(bulk._Run, "_call", call_once_left)
    person = person_of("helio", KITCHEN)
    page = person.page
    person.follow("Ver candidaturas")
    person.follow("Sem etapa")
    person.follow("Marcar todas as 214")
    person.select("Etapa", "2. Entrevista")
    person.press("Mover…")
    person.press("Mover para Entrevista: 214 pessoas")
    person.open("/painel/empresas")
    person.open("/painel")
    item = page.get_by_role("link", name="Mover para Entrevista").first
    expect(item).to_be_visible()
    left.set()
    person.leave(item)
    person.expect_progress("terminada", PATIENT)
    page.reload()
    expect(page.get_by_text("não puderam").first).to_be_visible()
    refused = page.locator(".refused li").first
    expect(refused).to_contain_text("Reprovada")
    expect(refused).to_contain_text("quem está reprovado não muda de etapa")
    name = refused.get_by_role("link").inner_text()
    person.leave(refused.get_by_role("link"))
    expect(person.heading).to_have_text(name)
    page.go_back()
    person.press("Tentar de novo só estas")
    expect(page.get_by_role("heading", level=2, name="Mover para Entrevista")).to_be_visible()


@pytest.mark.task(18)
def test_a_company_is_registered_with_what_the_registry_knows_of_its_cnpj(person_of: PersonOf) -> None:
    person = person_of("helio", "/painel/empresas")
    person.fill("CNPJ da nova empresa", "90.000.007/0001-04")
    person.press("Cadastrar")
    expect(person.field("Razão social")).to_have_value("Oficina Beira-Rio Ltda.")
    person.press("Cadastrar a empresa")
    expect(person.heading).to_have_text("Oficina Beira-Rio")


@pytest.mark.task(21)
def test_the_file_of_candidates_has_accents_and_the_citys_time(person_of: PersonOf) -> None:
    person = person_of("helio", KITCHEN)
    person.follow("Ver candidaturas")
    person.screen.unfold_filters()
    person.select("Situação", "Reprovada")
    person.press("Filtrar")
    shown = person.main.locator("tbody tr").first
    expect(shown).to_contain_text("Reprovada")
    name = shown.get_by_role("link").first.inner_text()
    text = person.save(lambda: person.act(person.main.get_by_role("link", name="Baixar planilha")))
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert {row["Situação"] for row in rows} == {"Reprovada"}
    applied = next(row["Candidatou-se em"] for row in rows if row["Nome"] == name)
    person.follow(name)
    # The page shows "ontem", and the file shows the date. The page's `time` element contains the exact time.
    moment = datetime.strptime(applied, "%d/%m/%Y %H:%M")  # both use the city's time zone
    expect(person.main.locator(f'time[datetime^="{moment:%Y-%m-%dT%H:%M}"]').first).to_be_visible()


@pytest.mark.task(22)
def test_a_job_of_another_department_is_refused_with_the_reason(person_of: PersonOf) -> None:
    person = person_of("helio")
    answer = person.open(FOREIGN)
    assert answer.status == 404
    person.expect_text("de um órgão a que você não tem acesso")
