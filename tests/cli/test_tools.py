"""`tools/test` prepares a tool only if one of the selected tests needs it, because a tool may have to be installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
NAMES = ["chromium", "haproxy", "nginx", "node", "postgres", "promtool", "redis", "validators"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project with two test files, and with tools that record their calls."""
    (tmp_path / "tools").mkdir()
    shutil.copy(TOOLS / "test", tmp_path / "tools" / "test")
    for name in NAMES:
        tool = tmp_path / "tools" / name
        tool.write_text(f"#!/bin/sh\necho {name} >> asked\necho /there/{name}\n")
        tool.chmod(0o755)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sums.py").write_text("def test_sum(): assert 1 + 1 == 2\n")
    (tmp_path / "tests" / "test_page.py").write_text("pytestmark = pytest.mark.page\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[list[str], str]:
    """Run `tools/test`. Return the tools that it called, each once, and the pytest arguments."""
    environment = {"PATH": "/usr/bin:/bin", "PYTEST": "echo"}
    done = subprocess.run(
        ["tools/test", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    asked = folder / "asked"
    return sorted(set(asked.read_text().split())) if asked.exists() else [], done.stdout


def test_a_whole_run_asks_for_all_tools(folder: Path) -> None:
    assert run(folder, "-q")[0] == NAMES


@pytest.mark.parametrize(
    ("named", "asked"),
    [
        (["tests/test_sums.py"], []),
        (["tests/test_sums.py::test_sum", "-x"], []),
        (["tests/test_sums.py", "tests/test_page.py::test_shown"], ["chromium"]),
        (["-q", "tests"], ["chromium"]),
    ],
)
def test_a_run_of_some_files_asks_for_what_they_use(folder: Path, named: list[str], asked: list[str]) -> None:
    assert run(folder, *named)[0] == asked


def test_what_a_tool_is_missing_for_is_left_out(folder: Path) -> None:
    (folder / "tools" / "chromium").write_text("#!/bin/sh\nexit 1\n")
    assert "not page" in run(folder, "tests/test_page.py")[1]
    assert "not page" not in run(folder, "tests/test_sums.py")[1]
