"""`balcao serve` from an empty folder to a working platform, and the failures that can occur on the way."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from balcao import app
from tests.journeys import curl
from tests.support.issuer import bearer
from tests.support.polling import PATIENCE
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, ended, open_folder, remove

pytestmark = pytest.mark.long

PATH = "/registry/v1/citizen/90000000175/gender"
EXAMPLES = {
    "citizen_cpf",
    "cnes_active",
    "cnes_quiet",
    "agent_config_id",
    "dataset_id",
    "service_id",
    "versions",
    "migration_id",
    "work_model_id",
    "availability_id",
    "experience_id",
    "behaviour_link_id",
    "job_id",
    "vaga_id",
    "draft_vaga_id",
    "action_id",
}


@pytest.fixture(scope="module")
def terminal() -> Iterator[Terminal]:
    folder = open_folder()
    yield Terminal(folder, port=free_port())
    remove(folder)


@pytest.fixture(scope="module")
def serving(terminal: Terminal) -> Iterator[Serving]:
    with Serving(terminal) as running:
        yield running


@pytest.fixture(scope="module")
def base(terminal: Terminal) -> str:
    return f"http://127.0.0.1:{terminal.environment['BALCAO_PORT']}"


def lines(said: str, word: str) -> list[str]:
    return [line.strip() for line in said.splitlines() if re.match(rf"\s+\S*{word} ", line)]


def test_it_prints_its_address_and_a_first_call_in_few_lines(serving: Serving, terminal: Terminal, base: str) -> None:
    assert base in serving.said
    assert f"{base}/docs" in serving.said
    assert httpx.get(f"{base}/docs", timeout=PATIENCE).status_code == 200
    assert len(serving.said.splitlines()) <= 20
    (call,) = re.findall(r"^Uma chamada (curl .*)$", serving.said, re.MULTILINE)
    assert curl.run(call, terminal).status_code == 200


def test_the_printed_lines_all_work_and_call_every_service(serving: Serving, terminal: Terminal) -> None:
    printed = lines(terminal.run("demo", "--calls").stdout, "curl")
    calls = [line for line in printed if "Authorization" in line]
    tokens = [line for line in printed if line not in calls]
    assert {line: curl.run(line, terminal).status_code // 100 for line in calls} == dict.fromkeys(calls, 2)
    assert all(curl.run(line, terminal).json()["access_token"] for line in tokens)
    assert len(tokens) == 2
    addresses = terminal.json("demo", "--json")["base_urls"]
    assert {name for name, address in addresses.items() if any(f"{address}/" in line for line in calls)} == set(
        app.NAMES
    )


def test_the_printed_token_commands_of_three_people_work(serving: Serving, terminal: Terminal, base: str) -> None:
    commands = lines(terminal.run("demo", "--calls").stdout, "balcao token")
    assert len(commands) == 3
    for command in commands:
        token = curl.printed(command, terminal)
        assert httpx.get(f"{base}/agent/api/v1/auth", headers=bearer(token), timeout=PATIENCE).status_code == 200


def test_the_demo_names_everything_that_an_operation_needs(serving: Serving, terminal: Terminal, base: str) -> None:
    offered = terminal.json("demo", "--json")
    assert set(offered) == {"base_urls", "people", "clients", "examples"}
    assert offered["base_urls"]["registry"] == f"{base}/registry/v1"
    assert set(offered["base_urls"]) == set(app.NAMES)
    assert {frozenset(person) for person in offered["people"]} == {
        frozenset({"cpf", "name", "username", "password", "groups"})
    }
    assert {frozenset(client) for client in offered["clients"]} == {frozenset({"client_id", "client_secret", "scopes"})}
    assert set(offered["examples"]) >= EXAMPLES
    assert len(offered["examples"]["versions"]) >= 3


def test_a_token_is_had_by_name_by_cpf_and_for_a_client(serving: Serving, terminal: Terminal) -> None:
    for who in ("Ana", "90000000175", "ana beatriz moreira", "crm-sandbox"):
        assert terminal.run("token", who).stdout.count(".") == 2
    assert "desconhecido" in terminal.refusal("token", "ninguem")


def test_the_port_need_not_be_said_again(serving: Serving, terminal: Terminal) -> None:
    forgetful = Terminal(terminal.folder)
    assert forgetful.run("token", "ana").stdout.count(".") == 2
    assert forgetful.json("doctor", "--json")["running"] is True


def test_the_doctor_finds_nothing_wrong_and_every_part_up(serving: Serving, terminal: Terminal, base: str) -> None:
    found = terminal.json("doctor", "--json")
    assert (found["ok"], found["running"], found["problems"]) == (True, True, [])
    assert {name: part["state"] for name, part in found["parts"].items()} == dict.fromkeys(found["parts"], "up")
    assert found["addresses"]["base"] == base
    assert set(found["addresses"]) == {"base", "services", "issuers", "crm", "database", "database_read", "redis"}


def test_a_second_one_on_the_same_port_or_folder_is_told_so(serving: Serving, terminal: Terminal) -> None:
    assert "já está em uso por um Balcão" in terminal.refusal("serve")
    elsewhere = Terminal(terminal.folder, port=free_port())
    assert "Outro `balcao serve` já usa a pasta" in elsewhere.refusal("serve")


def test_named_services_join_the_running_platform_without_a_worker(serving: Serving, terminal: Terminal) -> None:
    port = free_port()
    with Serving(Terminal(terminal.folder, port=port), "health_units") as beside:
        alone = f"http://127.0.0.1:{port}"
        assert [
            httpx.get(f"{alone}{path}", timeout=PATIENCE).status_code
            for path in ("/health-units/readiness", "/readiness")
        ] == [
            200,
            200,
        ]
        assert httpx.get(f"{alone}/registry/v1/health", timeout=PATIENCE).status_code == 404
        assert [child.cmdline()[-1] for child in beside.processes()] == ["api"]
        assert beside.interrupt() == 0
    assert terminal.json("doctor", "--json")["parts"]["database"]["state"] == "up"


def test_a_process_that_dies_is_replaced_and_calls_meanwhile_wait(serving: Serving, base: str) -> None:
    before = serving.process_of("api")
    before.kill()
    assert httpx.get(f"{base}/registry/v1/health", timeout=PATIENCE).status_code == 200
    assert serving.process_of("api") != before


def test_a_trial_has_one_process_beside_its_supervisor(serving: Serving) -> None:
    assert [child.cmdline()[-3:] for child in serving.processes()] == [["crm", "worker", "api"]]


def test_ctrl_c_leaves_no_process_and_the_next_start_keeps_the_data() -> None:
    folder = open_folder()
    port = free_port()
    terminal, address = Terminal(folder, port=port), f"http://127.0.0.1:{port}{PATH}"
    with Serving(terminal) as first:
        token = terminal.run("token", "ana").stdout.strip()
        written = httpx.put(address, json={"valor": "Como me vejo"}, headers=bearer(token), timeout=PATIENCE)
        assert written.status_code == 200
        family = first.family()
        assert first.interrupt() == 0
        assert ended(family)
    with Serving(terminal) as second:
        assert stored_gender(terminal, port) == "Como me vejo"
        family = second.family()
        second.process.kill()
        assert ended(family)
    remove(folder)


def stored_gender(terminal: Terminal, port: int) -> str:
    token = terminal.run("token", "ana").stdout.strip()
    answer = httpx.get(
        f"http://127.0.0.1:{port}/registry/v1/citizen/90000000175", headers=bearer(token), timeout=PATIENCE
    )
    return str(answer.json()["genero"])


def test_a_taken_port_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        terminal = Terminal(tmp_path, port=taken.getsockname()[1])
        assert "já está em uso por outro programa" in terminal.refusal("serve")
    assert not (tmp_path / ".balcao" / "postgres").exists()


def test_the_port_of_the_sandbox_crm_counts_too(tmp_path: Path) -> None:
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port + 1))
        taken.listen()
        assert f"A porta {port + 1}" in Terminal(tmp_path, port=port).refusal("serve")


def test_an_unusable_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "arquivo").write_text("")
    terminal = Terminal(tmp_path, port=free_port(), data_dir=tmp_path / "arquivo" / "dados")
    assert "Não é possível gravar na pasta" in terminal.refusal("serve")
