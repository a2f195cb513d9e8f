"""Tests for the pages about dead-lettered jobs on the running platform."""

import asyncio

import pytest

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from balcao.settings import Settings
from tests.support.open_platform import opened
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

JOBS = "/painel/operacao/tarefas"


@pytest.fixture(scope="module")
def worked_off(sandbox: Sandbox) -> None:
    """Run the demo's jobs. The only job that remains is a push that the CRM rejects permanently."""
    asyncio.run(drain(sandbox.settings, sandbox.database_url))


async def drain(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await Worker(platform.database, app.list_job_kinds(), platform).drain()


@pytest.fixture
def stopped(panel: PanelClient, worked_off: None) -> str:
    """Open the list of dead-lettered jobs, and return the id of the first job."""
    panel.login("kleber", JOBS)
    numbers = [link.rpartition("/")[2] for link in panel.page.links if link.startswith(f"{JOBS}/")]
    return next(number for number in numbers if number.isdigit())


@pytest.mark.long
def test_the_state_of_every_service_is_shown(panel: PanelClient) -> None:
    panel.login("kleber", "/painel/operacao")
    assert panel.page.text.count("no ar") == 6
    assert "não atende" not in panel.page.text


def test_a_stopped_job_waits_on_the_first_page_and_leads_to_the_list(panel: PanelClient, stopped: str) -> None:
    panel.get("/painel")
    assert "tarefa parada" in panel.page.text
    assert JOBS in panel.page.links


def test_a_job_is_shown_without_anybodys_whole_cpf(panel: PanelClient, stopped: str) -> None:
    answer = panel.get(f"{JOBS}/{stopped}")
    assert answer.status_code == 200
    assert "***.000.008-**" in answer.text


def test_a_job_is_not_dropped_without_a_reason_and_what_was_typed_stays(panel: PanelClient, stopped: str) -> None:
    path = f"{JOBS}/{stopped}/descartar"
    answer = panel.submit(path, reason="x")
    assert answer.status_code == 422
    assert "De 3 a 200 caracteres." in panel.page.text
    assert panel.find_form(path).values["reason"] == "x"


def test_the_services_own_refusal_of_a_reason_stands_at_its_field(panel: PanelClient, stopped: str) -> None:
    path = f"{JOBS}/{stopped}/descartar"
    answer = panel.submit(path, reason="pedido de 900.000.001-75")
    assert answer.status_code == 422
    assert "Nada foi gravado" in panel.page.text
    assert panel.find_form(path).values["reason"] == "pedido de 900.000.001-75"


def test_a_job_is_dropped_with_a_reason(panel: PanelClient, stopped: str) -> None:
    panel.submit(f"{JOBS}/{stopped}/descartar", reason="Cadastro refeito à mão")
    assert f"A tarefa {stopped} foi descartada." in panel.page.text
    assert "Nenhuma tarefa parada" in panel.page.text
    assert f"{JOBS}/{stopped}" not in panel.page.links
    assert f"A tarefa {stopped} foi descartada." not in panel.get(JOBS).text
