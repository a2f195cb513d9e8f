"""Commands find a running trial from any folder. If they find none, they list the folders that they searched."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from balcao.cli import init
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings
from balcao_sandbox.cli import sandbox, token


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a clone, whose program runs from another folder."""
    clone, elsewhere = tmp_path / "clone", tmp_path / "elsewhere"
    (clone / ".venv").mkdir(parents=True)
    elsewhere.mkdir()
    monkeypatch.setattr(sys, "prefix", str(clone / ".venv"))
    monkeypatch.chdir(elsewhere)
    for name in ("BALCAO_DATA_DIR", "BALCAO_PORT", "BALCAO_DATABASE_URL", "BALCAO_AUTH_ISSUER", "BALCAO_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return clone


def serve(folder: Path, port: int) -> None:
    """Create the files of a running `balcao serve` in the folder."""
    (folder / ".balcao").mkdir()
    (folder / ".balcao" / "port").write_text(f"{port}\n")


def test_a_trial_beside_the_program_is_found_with_its_port(program: Path) -> None:
    serve(program, 8123)
    assert Settings.load(finds_trial=True).port == 8123
    assert Settings.load().data_dir == Path(".balcao")  # `balcao serve` starts a trial in the current folder
    serve(Path.cwd(), 8124)
    assert Settings.load(finds_trial=True).port == 8124  # a trial in the current folder has priority


def test_a_portals_files_have_the_port_of_the_trial_that_runs(program: Path) -> None:
    serve(program, 8123)
    assert CliRunner().invoke(init.init, ["portal", "citizen"]).exit_code == 0
    assert "REGISTRY_URL=http://127.0.0.1:8123/" in Path("portal-citizen/portal.env").read_text()


def test_without_a_trial_the_commands_say_where_they_looked(program: Path) -> None:
    serve(program, 1)  # no server listens on this port
    with pytest.raises(OperatorFault) as refused:
        token.token("ana")
    with pytest.raises(OperatorFault) as late:
        sandbox.let_time_pass("ana", minutes=1, days=0)
    for fault in (refused, late):
        assert str(program / ".balcao") in str(fault.value)
        assert str(Path.cwd() / ".balcao") in str(fault.value)
        assert "BALCAO_DATA_DIR" in str(fault.value)
