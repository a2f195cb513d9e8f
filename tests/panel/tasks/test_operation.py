"""Task 39, for an operator, in a real browser."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from tests.support.demo_people import ANA, BRUNO, CARLA, KLEBER
from tests.support.issuer import bearer
from tests.support.open_platform import opened
from tests.support.panel_person import Person
from tests.support.polling import until_now
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.page

JOBS = "/painel/operacao/tarefas"
NUMBERS = {ANA: "900.000.001-75", BRUNO: "900.000.002-56", CARLA: "900.000.003-37"}


@pytest.fixture
def work(sandbox: Sandbox) -> Callable[[], None]:
    """Return a function that runs all waiting jobs, as a worker does."""

    async def drain() -> None:
        platform = assemble(sandbox.settings, sandbox.database_url)
        async with opened(platform):
            await Worker(platform.database, app.list_job_kinds(), platform).drain()

    def run() -> None:
        with ThreadPoolExecutor(1) as thread:  # the browser occupies the event loop of this thread
            thread.submit(asyncio.run, drain()).result()

    return run


@pytest.mark.task(39)
def test_stopped_tasks_are_retried_and_reach_the_crm(
    person_of: Callable[..., Person], sandbox: Sandbox, work: Callable[[], None]
) -> None:
    work()  # the demo city's requests reach the CRM before the CRM fails
    refusal = {"mode": "error", "status": 400, "code": "FIELD_INTEGRITY_EXCEPTION"}
    sandbox.crm.faults(*(refusal | {"operation": operation} for operation in ("create", "update", "upsert")))
    for cpf in NUMBERS:
        headers = bearer(sandbox.tokens.person(cpf))
        body = {"valor": f"de-volta-{cpf}@correio.example"}
        sandbox.http.put(f"/registry/v1/citizen/{cpf}/email", json=body, headers=headers).raise_for_status()

    def list_stopped() -> set[str]:
        work()
        admin = bearer(sandbox.tokens.person(KLEBER))
        found = sandbox.http.get("/registry/v1/admin/jobs/dead-letters", headers=admin).json()["data"]
        return {job["cpf"] for job in found}

    def reached_the_crm(cpf: str) -> bool:
        return any(f"de-volta-{cpf}@correio.example" in account.values() for account in sandbox.crm.accounts(cpf))

    masked = {f"***.{number[4:11]}-**" for number in NUMBERS.values()}
    until_now(lambda: masked <= list_stopped())
    sandbox.crm.faults()
    kleber = person_of("kleber")
    kleber.visit_area("Tarefas paradas")
    for each in sorted(masked):
        row = kleber.page.get_by_role("row").filter(has_text=each)
        kleber.press("Repetir", row)
        expect(kleber.page.get_by_role("status")).to_contain_text("voltou à fila")
    until_now(lambda: not masked & list_stopped() and all(map(reached_the_crm, NUMBERS)))
    kleber.open(JOBS)
    for each in masked:
        expect(kleber.main).not_to_contain_text(each)
