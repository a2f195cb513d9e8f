"""Tests for `balcao serve --processes 2`: several processes share one port, and a supervisor replaces failed ones."""

import http.client
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import psutil
import pytest

from tests.support.polling import until_now
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, ended, open_folder, remove

pytestmark = pytest.mark.long

CONNECTIONS = 64
PATIENCE = 300


@pytest.fixture(scope="module")
def terminal() -> Iterator[Terminal]:
    folder = open_folder()
    yield Terminal(folder, port=free_port(), management_port=free_port())
    remove(folder)


@pytest.fixture(scope="module")
def port(terminal: Terminal) -> int:
    return int(terminal.environment["BALCAO_PORT"])


@pytest.fixture(scope="module")
def serving(terminal: Terminal) -> Iterator[Serving]:
    with Serving(terminal, "--processes", "2") as running:
        yield running


def answers(port: int) -> bool:
    """Return whether the server responds to a call on a new connection."""
    return httpx.get(f"http://127.0.0.1:{port}/registry/v1/health", timeout=PATIENCE).status_code == 200


def connected(process: psutil.Process, port: int) -> int:
    """Return the number of connections to the port that the process has open."""
    return sum(
        connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == port
        for connection in process.net_connections("tcp")
    )


def test_both_processes_answer_on_the_one_port(serving: Serving, port: int) -> None:
    with ExitStack() as held:
        for _ in range(CONNECTIONS):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            held.callback(connection.close)
            connection.request("GET", "/registry/v1/liveness")
            assert connection.getresponse().read()
        shares = [connected(process, port) for process in serving.processes("api")]
    assert len(shares) == 2
    assert all(shares)


def test_worker_and_crm_have_processes_of_their_own(serving: Serving) -> None:
    assert sorted(process.cmdline()[-1] for process in serving.processes()) == ["api", "api", "crm", "worker"]


def test_a_second_one_on_the_port_does_not_join_in(serving: Serving, terminal: Terminal) -> None:
    assert "já está em uso" in terminal.refusal("serve", "--processes", "2")


@pytest.mark.parametrize("role", ["api", "worker", "crm"])
def test_a_killed_process_is_replaced_and_calls_are_answered(serving: Serving, port: int, role: str) -> None:
    before = serving.processes(role)
    before[0].kill()
    assert answers(port)
    until_now(lambda: len(serving.processes(role)) == len(before) and before[0] not in serving.processes(role))
    assert answers(port)


def test_frozen_processes_are_named_and_replaced(serving: Serving, terminal: Terminal, port: int) -> None:
    (beside,) = (process for process in serving.processes("api") if process not in serving.processes("management"))
    frozen = {"api-1": beside, "worker-0": serving.process_of("worker")}
    # Wait until both processes are ready. The supervisor waits longer for a process that is starting. A check that has
    # not passed when its process freezes would never pass, and would be reported too.
    until_now(lambda: all(has_begun(terminal, name, process) for name, process in frozen.items()))
    until_now(lambda: list_unready(terminal) == [])
    for process in frozen.values():
        process.send_signal(signal.SIGSTOP)
    until_now(lambda: set(frozen) <= set(list_unready(terminal)))
    until_now(lambda: list_unready(terminal) == [])
    assert not set(frozen.values()) & set(serving.processes())
    assert all(answers(port) for _ in range(8))


def watch(terminal: Terminal, path: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{terminal.environment['BALCAO_MANAGEMENT_PORT']}{path}", timeout=PATIENCE)


def list_unready(terminal: Terminal) -> list[str]:
    """Return the names of the failed checks from the management port."""
    failed: list[str] = watch(terminal, "/readiness").json().get("errors", [])
    return failed


def has_begun(terminal: Terminal, name: str, process: psutil.Process) -> bool:
    """Return whether the metrics under this name come from this process, and not from its predecessor."""
    pattern = rf'^process_start_time_seconds{{process="{name}"}} (\S+)$'
    shown = re.search(pattern, watch(terminal, "/metrics").text, re.MULTILINE)
    return shown is not None and abs(float(shown[1]) - process.create_time()) < 1


def test_the_embedded_database_is_replaced_too(serving: Serving, terminal: Terminal, port: int) -> None:
    postmaster = next(child for child in serving.databases() if child.ppid() == serving.process.pid)
    postmaster.kill()

    def ready() -> bool:
        answer = httpx.get(f"http://127.0.0.1:{port}/registry/v1/readiness", timeout=PATIENCE)
        return answer.status_code == 200

    until_now(lambda: any(child != postmaster for child in serving.databases()))
    until_now(ready)


def test_ctrl_c_ends_all_also_with_one_that_was_just_frozen(terminal: Terminal) -> None:
    elsewhere = Terminal(terminal.folder, port=free_port(), data_dir=terminal.folder / "elsewhere")
    with Serving(elsewhere, "--processes", "2") as serving:
        family = serving.family()
        serving.processes("api")[1].send_signal(signal.SIGSTOP)
        assert serving.interrupt() == 0
    assert ended(family)
