"""`balcao jobs` on jobs of the platform's real kinds."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from balcao import app
from balcao.core.jobs import enqueue
from balcao.core.platform import assemble
from balcao.settings import Settings
from tests.support.terminal import Terminal

RUN = "01a1fe00-10f4-745e-bf49-6d7fd9f9ca91"
KIND = "search.close_rollback_window"
CPF = "90000000175"


@pytest.fixture
def waiting(settings: Settings, database_url: str) -> Callable[..., int]:
    """Enqueues a job for later; answers its number."""

    def put(payload: dict[str, Any] | None = None) -> int:
        async def once() -> int:
            platform = assemble(settings, database_url)
            async with app.opened(platform), platform.database.transaction() as connection:
                return await enqueue(connection, KIND, payload or {"run": RUN}, delay=timedelta(days=1))

        return asyncio.run(once())

    return put


@pytest.fixture
def parked(waiting: Callable[..., int], sql: Callable[..., Any], drain: Callable[[], None]) -> int:
    """A job that has failed for the last time: its payload lacks what its kind needs."""
    number = waiting({"nada": str(uuid.uuid4())})
    sql("UPDATE queue.pgqueuer SET execute_after = now(), attempts = 1000 WHERE id = $1", number)
    drain()
    return number


def find(terminal: Terminal, number: int, *words: str) -> dict[str, Any] | None:
    jobs = terminal.json("jobs", "list", "--json", *words)
    return next((job for job in jobs if job["id"] == number), None)


def test_a_waiting_job_is_listed_with_its_ids(terminal: Terminal, waiting: Callable[..., int]) -> None:
    found = find(terminal, waiting(), "--state", "waiting", "--kind", KIND)
    assert found
    assert (found["kind"], found["state"], found["tries"], found["ids"]) == (KIND, "waiting", 0, {"run": RUN})


def test_a_persons_value_is_never_shown(terminal: Terminal, waiting: Callable[..., int]) -> None:
    number = waiting({"cpf": CPF, "number": int(CPF), "name": "Ana", "nested": {"cpf": CPF}})
    for words in (("list",), ("list", "--json"), ("show", str(number)), ("show", str(number), "--json")):
        said = terminal.run("jobs", *words).stdout
        assert CPF not in said
        assert "Ana" not in said


def test_a_failed_job_shows_its_code_and_its_history(terminal: Terminal, parked: int) -> None:
    found = find(terminal, parked, "--state", "failed")
    assert found
    assert found["tries"] == 1001
    shown = terminal.json("jobs", "show", str(parked), "--json")
    assert [event["state"] for event in shown["events"]] == ["queued", "picked", "failed"]
    assert shown["events"][-1]["code"]
    assert shown["events"][-1]["code"] in terminal.run("jobs", "show", str(parked)).stdout


def test_a_failed_job_is_tried_again_with_all_its_tries(terminal: Terminal, parked: int) -> None:
    assert terminal.run("jobs", "retry", str(parked)).returncode == 0
    found = find(terminal, parked)
    assert found
    assert (found["state"], found["tries"]) == ("waiting", 0)
    assert "não falhou" in terminal.refusal("jobs", "retry", str(parked))


def test_a_job_is_dropped_for_a_reason_that_stays_in_the_trail(
    terminal: Terminal, parked: int, sql: Callable[..., Any]
) -> None:
    assert terminal.run("jobs", "drop", str(parked)).returncode == 2
    assert terminal.run("jobs", "drop", str(parked), "--reason", " ").returncode == 1
    assert terminal.run("jobs", "drop", str(parked), "--reason", "Pedido refeito à mão").returncode == 0
    assert find(terminal, parked) is None
    trail = sql("SELECT actor_kind, action, reason, fields FROM platform.audit_event WHERE operation = 'jobs.operate'")
    assert [tuple(event) for event in trail] == [("operator", "delete", "Pedido refeito à mão", [f"job:{KIND}"])]


def test_a_running_job_is_not_dropped(terminal: Terminal, waiting: Callable[..., int], sql: Callable[..., Any]) -> None:
    number = waiting()
    sql("UPDATE queue.pgqueuer SET status = 'picked' WHERE id = $1", number)
    assert "em execução" in terminal.refusal("jobs", "drop", str(number), "--reason", "Sem uso")


def test_an_unknown_number_is_told(terminal: Terminal) -> None:
    for words in (("show", "999999"), ("retry", "999999"), ("drop", "999999", "--reason", "Sem uso")):
        assert "Não há tarefa 999999" in terminal.refusal("jobs", *words)
