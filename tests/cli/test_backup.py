"""`balcao backup` explains in one sentence why it cannot copy, check or restore."""

from pathlib import Path

import pytest

from tests.support import databases
from tests.support.terminal import Terminal


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """Return a folder with a damaged copy: the manifest is empty and the data is missing."""
    copy = tmp_path / "copies/base/20260102T030000Z"
    copy.mkdir(parents=True)
    (copy / "PG_VERSION").write_text("18\n")
    (copy / "backup_manifest").touch()
    return tmp_path / "copies"


@pytest.mark.long
def test_a_folder_without_a_copy_is_no_proof_of_one(terminal: Terminal, tmp_path: Path) -> None:
    assert "não há cópia completa" in terminal.refusal("backup", "verify", str(tmp_path))


def test_a_damaged_copy_is_told_by_its_name_and_the_exit(terminal: Terminal, copies: Path) -> None:
    checked = terminal.run("backup", "verify", str(copies))
    assert checked.returncode == 1
    assert checked.stdout.startswith("20260102T030000Z  danificada: ")


@pytest.mark.parametrize("instant", ["2026-11-22T14:30:00", "ontem"])
def test_an_instant_without_its_zone_is_refused(tmp_path: Path, copies: Path, instant: str) -> None:
    said = Terminal(tmp_path).refusal("backup", "restore", str(copies), "--until", instant)
    assert said == "Escreva --until com fuso, como em 2026-11-22T14:30:00-03:00."


def test_a_server_of_ones_own_is_restored_where_one_says(terminal: Terminal, copies: Path) -> None:
    assert "Indique em --cluster" in terminal.refusal("backup", "restore", str(copies))


def test_a_cluster_is_restored_with_the_settings_of_its_installation(tmp_path: Path, copies: Path) -> None:
    said = Terminal(tmp_path).refusal("backup", "restore", str(copies), "--cluster", "15/main")
    assert "Falta BALCAO_DATABASE_URL" in said


def test_what_is_no_folder_takes_no_copy(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "Não é possível gravar na pasta" in terminal.refusal("backup", "create", str(tmp_path / "file"))


def test_a_copy_older_than_the_program_is_migrated_before_erasures_are_repeated(tmp_path: Path, copies: Path) -> None:
    name = databases.new_name()
    url = databases.create_empty(name, "ENCODING 'UTF8' LOCALE 'C'")
    try:
        said = Terminal(tmp_path, database_url=url).refusal("backup", "erase-again", str(copies))
    finally:
        databases.drop(name)
    assert "execute `balcao migrate`" in said
    assert f"Depois, antes de iniciar os processos, execute `balcao backup erase-again {copies}`" in said
