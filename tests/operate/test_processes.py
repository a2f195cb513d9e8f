"""The processes that `balcao serve` starts: their roles, their number, and the database connections of each."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from balcao.gateway.listening import accept_first
from balcao.operate.faults import OperatorFault
from balcao.operate.processes import process
from balcao.operate.processes.channel import Order
from balcao.operate.processes.plan import claim_data_folder, claiming, claiming_for_management, list_withheld, make_plan
from balcao.operate.processes.process import LONGEST_PAUSE_SECONDS, Process, pause_after, stopping
from balcao.settings import Settings
from tests.support.polling import PATIENCE
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Terminal

pytestmark = pytest.mark.long

PRODUCTION = {
    "BALCAO_PROFILE": "production",
    "BALCAO_DATABASE_URL": "postgresql://balcao_app@db.example/balcao",
    "BALCAO_DATABASE_OWNER_URL": "postgresql://balcao@db.example/balcao",
    "BALCAO_AUTH_ISSUER": "https://login.example/realms/city",
    "BALCAO_CLIENT_SECRET": "a secret of the city's own",
    "BALCAO_HASH_KEY": "nXqTt1dM0vSg7zq8Hf3LkR5uYw2oPaJcEbI9sV6xUmA=",
    "BALCAO_MACHINE_CLIENTS": "painel-saude",
    "BALCAO_ACCESS_TOKEN_ROLE_CLIENTS": "none",
}
BLOCKING = """
import time
print(flush=True)
time.sleep(0.5)
print('{"ready": true}', flush=True)
time.sleep(1000)
"""


def production(**settings: str) -> Settings:
    return Settings.load(PRODUCTION | settings)


def test_the_lock_of_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    lock = tmp_path / "serve.lock"
    lock.touch(mode=0o666)
    lock.chmod(0o666)
    with claim_data_folder(tmp_path) as first, claim_data_folder(tmp_path) as second:
        assert (first, second) == (True, False)
        assert lock.stat().st_mode & 0o777 == 0o600
    lock.unlink()
    with claim_data_folder(tmp_path) as alone:
        assert alone
        assert lock.stat().st_mode & 0o777 == 0o600


def test_a_trial_is_one_process_and_production_has_one_per_core_beside_the_worker() -> None:
    trial, city = make_plan(Settings(), (), None), make_plan(production(), (), None)
    assert (trial.together, trial.processes, trial.roles) == (True, 1, ("crm", "worker", "api"))
    assert (city.together, city.processes, city.roles) == (False, len(os.sched_getaffinity(0)), ("worker", "api"))
    assert not make_plan(Settings(), (), None, 2).together


def test_the_management_port_is_the_first_process_and_knows_of_all() -> None:
    apart = production(BALCAO_MANAGEMENT_PORT="8090")
    city = make_plan(apart, (), None, 2)
    assert city.roles == ("management", "worker", "api")
    assert (city.watched.processes, city.watched.with_jobs) == (("api-0", "api-1", "worker-0"), True)
    without = make_plan(apart, (), False, 1).watched
    assert (without.processes, without.with_jobs) == (("api-0",), False)
    trial = make_plan(Settings(management_port=8090), (), None).watched
    assert (trial.processes, trial.with_jobs) == (("api-0",), True)


def test_a_taken_management_port_is_told_by_its_own_setting() -> None:
    port = free_port()
    with (
        claiming("127.0.0.1", port, "APIs"),
        pytest.raises(OperatorFault, match="indique outra em BALCAO_MANAGEMENT_PORT"),
        claiming_for_management("127.0.0.1", port),
    ):
        pass


def test_named_services_come_without_worker_unless_asked_for() -> None:
    assert make_plan(Settings(), ("registry",), None).roles == ("api",)
    assert make_plan(production(), ("registry",), True).roles == ("worker", "api")


@pytest.mark.parametrize(
    ("pool", "processes", "each"), [("", 1, 10), ("", 7, 10), ("", 15, 5), ("60", 5, 10), ("60", 3, 15), ("2", 7, 2)]
)
def test_processes_share_the_connections_of_the_installation(pool: str, processes: int, each: int) -> None:
    settings = production(BALCAO_DATABASE_POOL=pool) if pool else production()
    assert make_plan(settings, (), None, processes).connections_of_each == each


async def test_only_a_worker_is_given_the_owners_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BALCAO_DATABASE_OWNER_URL", PRODUCTION["BALCAO_DATABASE_OWNER_URL"])

    async def read_environment(*roles: str) -> dict[str, str]:
        known = {child.pid for child in psutil.Process().children()}
        started = Process("teste", roles, {}, {"BALCAO_PORT": "8123"}, list_withheld(roles, production()))
        async with stopping([started]):
            await started.spawn()
            (child,) = [child for child in psutil.Process().children() if child.pid not in known]
            environment: dict[str, str] = child.environ()
            return environment

    api, worker, both = [await read_environment(*roles) for roles in (("api",), ("worker",), ("worker", "api"))]
    assert "BALCAO_DATABASE_OWNER_URL" not in api
    assert "BALCAO_DATABASE_OWNER_URL" in worker
    assert "BALCAO_DATABASE_OWNER_URL" in both
    assert {found["BALCAO_PORT"] for found in (api, worker, both)} == {"8123"}


def test_processes_that_share_a_port_leave_it_to_nobody_else() -> None:
    port = free_port()
    with claiming("127.0.0.1", port, "APIs", 3) as sockets:
        assert {one.getsockname()[1] for one in sockets} == {port}
        for number in (1, 2):
            with pytest.raises(OperatorFault, match="já está em uso"), claiming("127.0.0.1", port, "APIs", number):
                pass


def test_a_connection_to_a_process_that_is_being_replaced_waits() -> None:
    with claiming("127.0.0.1", free_port(), "APIs", 2) as sockets:
        for one in sockets:
            accept_first(one)
        for _ in range(16):  # no process accepts them, but the queue has space
            with socket.create_connection(sockets[0].getsockname()):
                pass


def test_a_port_is_ours_before_anybody_can_connect_to_it() -> None:
    """If a connection is refused, a gateway tries another host.

    A connection in this port's queue would make it wait.
    """
    with claiming("127.0.0.1", free_port(), "APIs") as (claimed,):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(claimed.getsockname())
        host, port = claimed.getsockname()
        with pytest.raises(OperatorFault, match="já está em uso"), claiming(host, port, "APIs"):
            pass
        accept_first(claimed)
        socket.create_connection(claimed.getsockname()).close()


def test_the_next_start_takes_the_port_in_spite_of_connections_that_have_just_ended() -> None:
    port = free_port()
    for _ in range(2):
        with claiming("127.0.0.1", port, "APIs") as (claimed,):
            accept_first(claimed)
            with socket.create_connection(claimed.getsockname()):
                claimed.accept()[0].close()


def test_a_host_that_starts_takes_no_calls_before_it_can_answer(tmp_path: Path) -> None:
    """The host's database accepts a connection but sends nothing, so the start lasts as long as the test needs."""
    port = free_port()
    with socket.create_server(("127.0.0.1", 0)) as database:
        address = f"postgresql://balcao@127.0.0.1:{database.getsockname()[1]}/balcao"
        terminal = Terminal(tmp_path, database_url=address, port=port, data_dir=tmp_path)
        command = [str(BALCAO), "serve", "--no-worker", "--processes", "1"]
        with subprocess.Popen(command, env=terminal.environment, cwd=tmp_path, stderr=subprocess.PIPE) as starting:
            waiting, _ = database.accept()
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))
            database.close()
            waiting.close()
            said = starting.communicate(timeout=PATIENCE)[1].decode()
    assert (starting.returncode, "O banco de dados não responde" in said) == (1, True)


def test_the_pause_before_another_try_grows_up_to_a_bound() -> None:
    pauses = [pause_after(failures) for failures in range(1, 40)]
    assert pauses[:4] == [0.5, 1.0, 2.0, 4.0]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_SECONDS


def test_a_process_beats_while_it_loads_its_code_and_waits_for_its_order() -> None:
    loading = subprocess.Popen(
        [sys.executable, "-m", "balcao.operate.processes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert loading.stdout
    assert [loading.stdout.readline() for _ in range(2)] == [b"\n", b"\n"]
    loading.communicate(timeout=PATIENCE)
    assert loading.returncode == 0


async def test_a_process_that_is_frozen_while_it_starts_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(process, "MOST_MISSED_AT_START", 10)
    known = {child.pid for child in psutil.Process().children()}
    starting = Process("teste", ["crm"], {}, {})
    await starting.spawn()
    (child,) = [child for child in psutil.Process().children() if child.pid not in known]
    child.send_signal(signal.SIGSTOP)
    with pytest.raises(OperatorFault, match="terminou antes de ficar pronto"):
        await starting.begin(Order(), lambda _: None)
    await starting.stop()


async def test_a_process_may_block_for_longer_until_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process blocks for half a second after its first heartbeat, and forever after its report."""
    monkeypatch.setattr(process, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(process, "MOST_MISSED", 10)
    monkeypatch.setattr(process, "MOST_MISSED_AT_START", 10_000)
    starting = Process("teste", [], {}, {})
    starting._command = [sys.executable, "-c", BLOCKING]
    await starting.spawn()
    assert (await starting.begin(Order(), lambda _: None)).ready
    assert starting._started
    assert await starting._started.wait() == -signal.SIGKILL
