"""The tasks of a citizen with an account, with the keyboard, in a Chromium without scripts, on the screen of a phone.

The tests of the two widths use different people, because they share the demo city.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from balcao_sandbox.identity.demo import people_by_login
from tests.panel.conftest import beside
from tests.support.fixture_types import Drain, Sql
from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox
from tests.support.task import Task
from tests.support.task_modes import TASK_WIDTHS

__all__ = ["beside"]

pytestmark = [pytest.mark.page, pytest.mark.long]


@pytest.fixture(params=TASK_WIDTHS)
def task(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Task:
    return Task(screen_of(request.param, java_script_enabled=False))


def test_task_10_bruno_sees_why_he_cannot_apply_and_what_he_can_do(task: Task) -> None:
    task.follow("Atendente")
    task.follow("Candidatar-se")
    task.log_in("bruno")
    criteria = task.main.get_by_role("listitem")
    missing = criteria.filter(has_text="falta")
    expect(missing).to_have_count(1)
    expect(missing).to_contain_text("Falar inglês, nível básico ou mais: falta")
    expect(missing.get_by_role("link", name="Completar o currículo")).to_be_visible()
    expect(criteria.filter(has_text="Ter pelo menos 18 anos: você atende")).to_be_visible()
    expect(task.main).to_contain_text("Por enquanto você não pode se candidatar a esta vaga.")
    task.require_steps(2)


def test_task_11_bruno_applies_with_his_resume(task: Task) -> None:
    task.follow("Operador de caixa")
    task.follow("Candidatar-se")
    task.log_in("carla" if task.is_narrow else "bruno")
    task.follow("Começar")
    expect(task.page.get_by_role("heading", level=1)).to_have_text("Confira antes de enviar")
    task.press("Enviar a candidatura")
    expect(task.page.get_by_role("status")).to_contain_text("Candidatura enviada. Próximo passo: Entrevista.")
    expect(task.main).to_contain_text("Você enviou a candidatura")
    task.require_steps(5)


def test_task_12_bruno_continues_on_question_2_after_his_session_has_ended(
    task: Task, sql: Sql, beside: Callable[..., Any]
) -> None:
    task.follow("Auxiliar de cozinha")
    task.follow("Candidatar-se")
    task.log_in("carla" if task.is_narrow else "bruno")
    task.follow("Começar")
    task.keys.set_checked(task.page.get_by_label("Sim"), True)
    task.press("Continuar")
    question = task.page.get_by_label("Há quantos anos você trabalha em cozinha?")
    expect(question).to_have_accessible_description("Só o número. Exemplo: 7")
    task.keys.fill(question, "7")
    beside(sql, "UPDATE site.session SET ended_at = now(), tokens = NULL")
    task.steps = 0
    task.press("Continuar")
    expect(task.main).to_contain_text("O que você escreveu está guardado por 7 dias")
    task.follow("Entrar", exact=False)
    expect(question).to_have_value("7")
    task.require_steps(1)


def test_task_13_bruno_adds_a_job_to_his_resume(task: Task) -> None:
    task.enter("bruno")
    task.follow("Meu currículo")
    task.follow("Incluir um trabalho")
    company = "Padaria do Cais" if task.is_narrow else "Mercado do Porto"
    task.fill("O que você fazia?", "Ajudante de cozinha")
    task.fill("Onde?", company)
    task.press("Guardar")
    expect(task.page.get_by_role("listitem").filter(has_text=f"Ajudante de cozinha, {company}")).to_be_visible()
    task.require_steps(4)


def test_task_14_ana_sees_in_which_step_her_application_is(task: Task) -> None:
    task.enter("ana")
    application = task.page.get_by_role("listitem").filter(has=task.page.get_by_role("link", name="Confeiteiro"))
    expect(application.get_by_role("listitem").filter(has_text="etapa atual")).to_have_text("Entrevista, etapa atual")
    task.require_steps(1)


def test_task_15_a_person_withdraws_an_application(task: Task) -> None:
    job, person = ("Assistente", "elisa") if task.is_narrow else ("Recepcionista bilíngue", "ana")
    task.enter(person)
    task.follow(job, exact=False)
    task.follow("Retirar a candidatura")
    task.press("Retirar a candidatura")
    expect(task.page.get_by_role("status")).to_contain_text(f"A candidatura a {job} foi retirada por você.")
    expect(task.main.get_by_role("link", name=job)).to_have_count(0)
    task.require_steps(4)


def test_task_18_ana_sees_whether_her_clinic_serves_today(task: Task) -> None:
    task.enter("ana")
    clinic = task.page.get_by_role("region", name="Minha unidade de saúde")
    expect(clinic).to_contain_text("não atende agora")
    expect(clinic).to_contain_text("Aberta agora, perto dela:")
    # Which unit is the nearest open one depends on the hour.
    expect(
        clinic.locator("p", has_text="Aberta agora, perto dela:").locator("a[href^='/saude/unidades/']").first
    ).to_be_visible()
    task.require_steps(1)


def test_task_20_elisa_stops_messages_about_courses(task: Task, sandbox: Sandbox) -> None:
    cpf = people_by_login()["elisa"].cpf
    path = f"/registry/v1/citizen/{cpf}/notification-preferences/categories/courses"
    token = {"Authorization": f"Bearer {sandbox.tokens.person(cpf)}"}
    choice = {"channel": "web", "opt_in": True}  # the test of the other width refused them
    assert sandbox.http.patch(path, json=choice, headers=token).status_code == 200
    task.enter("elisa")
    task.follow("Mensagens que recebo")
    task.keys.set_checked(task.page.get_by_label("Cursos"), False)
    task.press("Guardar")
    expect(task.page.get_by_role("status")).to_contain_text("agora recusa Cursos.")
    expect(task.page.get_by_role("listitem").filter(has_text="recusou Cursos").first).to_be_visible()
    task.require_steps(3)


def test_task_23_carla_sees_who_looked_at_her_data_and_why(task: Task) -> None:
    task.enter("carla")
    task.follow("Ver tudo")
    accesses = task.main.get_by_role("listitem").filter(has=task.page.get_by_role("heading", level=2))
    by_department = accesses.filter(has_text="Secretaria de Conservação")
    expect(by_department.first).to_contain_text("Leu e mudou os pedidos, pelo sistema de atendimento")
    expect(by_department.first).to_contain_text("Motivo: Atendimento do pedido PED-")
    expect(by_department.first.locator(".inteiro")).to_have_text(re.compile(r"PED-\d{8}-\d"))
    expect(task.main).to_contain_text("o órgão, o que viu e por quê")
    expect(task.main).not_to_contain_text(re.compile("CRM|chamado|plataforma"))
    task.require_steps(2)


def test_task_24_a_person_changes_the_telephone_with_a_code(
    task: Task, sandbox: Sandbox, drain: Drain, beside: Callable[..., Any]
) -> None:
    number = "21988887702" if task.is_narrow else "21988887701"
    task.enter("katia" if task.is_narrow else "joao")
    task.follow("Ver e corrigir meus dados")
    task.follow("Mudar telefone", exact=False)
    task.fill("Telefone", number)
    task.press("Enviar o código")
    expect(task.page.get_by_role("heading", level=1)).to_contain_text("Digite o código")
    beside(drain)
    codes = sandbox.crm.switch.get("/codes", params={"to": f"55{number}"}).json()
    task.keys.fill(task.page.get_by_label("Código"), codes[-1]["code"])
    task.press("Confirmar o telefone")
    expect(task.page.get_by_role("status")).to_contain_text("O telefone foi confirmado e passa a valer.")
    task.require_steps(5)
