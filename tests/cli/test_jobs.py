"""`balcao jobs` with real job kinds of the platform."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import enqueue
from balcao.settings import Settings
from tests.support.demo_people import ANA
from tests.support.open_platform import opened
from tests.support.terminal import Terminal

KIND = "search.continue_migration"
CPF = ANA


@pytest.fixture
def waiting(settings: Settings, database_url: str) -> Callable[..., str]:
    """Return a function that enqueues a job for tomorrow and returns its number."""

    def put(payload: dict[str, Any] | None = None) -> str:
        async def once() -> str:
            platform = assemble(settings, database_url)
            async with opened(platform), platform.database.transaction() as connection:
                return str(await enqueue(connection, KIND, payload or {"run": "1"}, delay=timedelta(days=1)))

        return asyncio.run(once())

    return put


@pytest.fixture
def parked(waiting: Callable[..., str], sql: Callable[..., Any], drain: Callable[[], None]) -> str:
    """Return the number of a dead-lettered job, whose payload lacks a required member."""
    number = waiting({"nada": str(uuid.uuid4())})
    sql("UPDATE queue.pgqueuer SET execute_after = now(), attempts = 1000 WHERE id = $1", int(number))
    drain()
    return number


def find(terminal: Terminal, number: str, *words: str) -> dict[str, Any] | None:
    jobs = terminal.json("jobs", "list", "--json", *words)["data"]
    return next((job for job in jobs if job["id"] == number), None)


def test_a_waiting_job_is_listed(terminal: Terminal, waiting: Callable[..., str]) -> None:
    found = find(terminal, waiting(), "--state", "queued", "--kind", KIND)
    assert found
    assert (found["kind"], found["state"], found["attempts"], found["error_code"]) == (KIND, "queued", 0, None)


def test_a_persons_value_is_never_shown(terminal: Terminal, waiting: Callable[..., str]) -> None:
    number = waiting({"cpf": CPF, "number": int(CPF), "name": "Ana", "nested": {"cpf": CPF}})
    for words in (("list",), ("list", "--json"), ("show", number), ("show", number, "--json")):
        said = terminal.run("jobs", *words).stdout
        assert number in said
        assert CPF not in said
        assert "Ana" not in said


def test_a_failed_job_shows_its_code_and_its_tries(terminal: Terminal, parked: str) -> None:
    found = find(terminal, parked, "--state", "dead")
    assert found
    assert found["attempts"] == 1001
    [tried] = terminal.json("jobs", "show", parked, "--json")["attempts_log"]
    assert tried["code"] == found["error_code"] == "KeyError"
    assert "KeyError" in terminal.run("jobs", "show", parked).stdout


def test_a_failed_job_is_tried_again_with_all_its_tries(terminal: Terminal, parked: str) -> None:
    assert terminal.run("jobs", "retry", parked).returncode == 0
    found = find(terminal, parked)
    assert found
    assert (found["state"], found["attempts"]) == ("queued", 0)
    assert "não falhou" in terminal.refusal("jobs", "retry", parked)


@pytest.mark.long
def test_a_job_is_dropped_for_a_reason_that_stays_in_the_trail(
    terminal: Terminal, parked: str, sql: Callable[..., Any]
) -> None:
    assert terminal.run("jobs", "drop", parked).returncode == 2
    assert terminal.run("jobs", "drop", parked, "--reason", " ").returncode == 1
    assert terminal.run("jobs", "drop", parked, "--reason", "Pedido refeito à mão").returncode == 0
    assert find(terminal, parked) is None
    trail = sql(
        "SELECT actor_kind, action, reason, fields FROM platform.audit_event"
        " WHERE operation = 'jobs.operate' AND action = 'delete'"
    )
    assert [tuple(event) for event in trail] == [("operator", "delete", "Pedido refeito à mão", [f"job:{KIND}"])]


@pytest.mark.parametrize("status", ["queued", "picked"])
def test_a_job_that_has_not_failed_is_not_dropped(
    terminal: Terminal, waiting: Callable[..., str], sql: Callable[..., Any], status: str
) -> None:
    number = waiting()
    sql("UPDATE queue.pgqueuer SET status = $2::text::queue.pgqueuer_status WHERE id = $1", int(number), status)
    assert "em execução" in terminal.refusal("jobs", "drop", number, "--reason", "Sem uso")


@pytest.mark.parametrize("number", ["999999", "x"])
def test_an_unknown_number_is_told(terminal: Terminal, number: str) -> None:
    for words in (("show", number), ("retry", number), ("drop", number, "--reason", "Sem uso")):
        assert "Não há tarefa" in terminal.refusal("jobs", *words)


def test_a_malformed_cpf_is_told(terminal: Terminal) -> None:
    assert "--cpf" in terminal.refusal("jobs", "list", "--cpf", "123")
