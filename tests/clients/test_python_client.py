"""Our Python client, installed from its wheel, runs the operations' examples."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.clients import client_builds
from tests.clients.examples import check_outcomes, read_outcomes, write_calls
from tests.support.proof_sizes import report
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

RUN = Path(__file__).with_name("run_examples.py")
PAGE = """from datetime import UTC, date, datetime

from balcao_client import Balcao
from balcao_client.employability.types import EducationBody
from balcao_client.health_units.types import ProposedException
from balcao_client.registry.types import InvitationAnswer, SearchBody
from balcao_client.search.types import ServiceCost, ServiceDeadline, Tipo, Unidade


def use(balcao: Balcao) -> None:
    balcao.health_units.list_notifications("9900001", status="Ativo", de=datetime(2026, 3, 1, tzinfo=UTC))
    balcao.search.list_all_proposals(awaiting_approval=True)
    EducationBody(status="Completo")
    ProposedException(data=date(2026, 3, 1), intervalos=[])
    SearchBody(name="Ana", birth_date=date(1972, 2, 20))
    InvitationAnswer(status="accepted")
    ServiceCost(tipo=Tipo.fixo, valor_centavos=3520)
    ServiceDeadline(unidade=Unidade.imediato)


def misuse(balcao: Balcao) -> None:
    balcao.health_units.list_notifications("9900001", status="ativo")
    balcao.health_units.list_notifications("9900001", de="2026-03-01")
    balcao.search.list_all_proposals(awaiting_approval="true")
    EducationBody(status="completo")
    ProposedException(data="2026-03-01", intervalos=[])
    SearchBody(name="Ana", birth_date="1972-02-20")
    InvitationAnswer(status="yes")
    ServiceCost(tipo="barato")
    ServiceDeadline(unidade=Unidade.dias, quantidade="5")
"""
MISTAKES = range(PAGE[: PAGE.index("def misuse")].count("\n") + 2, PAGE.count("\n") + 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("python-client")


@pytest.fixture(scope="module")
def wheel() -> Path:
    return client_builds.build_python_once()


@pytest.fixture(scope="module")
def interpreter(wheel: Path, folder: Path) -> Path:
    return client_builds.install_python(wheel, folder / "environment")


def test_what_is_shown_of_every_operation_runs(sandbox: Sandbox, interpreter: Path) -> None:
    done = subprocess.run(
        [interpreter, "-I", RUN, sandbox.url],
        input=write_calls(sandbox),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = check_outcomes(read_outcomes(done.stdout), sandbox, kinds=2)
    report(f"operations x as shown and awaited: {Counter(outcome for _, _, outcome in outcomes)}")


def test_it_is_typed_strictly(wheel: Path, folder: Path) -> None:
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            f"--cache-dir={folder}/mypy",
            "-p",
            "balcao_client",
        ],
        cwd=wheel.parent / "python" / "src",
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_what_is_sent_is_typed_in_queries_as_in_bodies(wheel: Path, folder: Path) -> None:
    page = folder / "page.py"
    page.write_text(PAGE, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={folder}/mypy", str(page)]
    source = wheel.parent / "python" / "src"
    checked = subprocess.run(
        command, cwd=folder, env={**os.environ, "MYPYPATH": str(source)}, capture_output=True, text=True, check=False
    )
    assert [int(line) for line in re.findall(r"^page\.py:(\d+): error", checked.stdout, re.MULTILINE)] == [*MISTAKES]
