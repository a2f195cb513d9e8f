"""The embedded PostgreSQL refuses to start if its data are unusable, and explains each case in one sentence."""

import os
import shutil
from pathlib import Path

import pytest

from balcao_sandbox.postgresql.supervisor import PostgresqlError, find_running, start
from tests.sandbox.postgresql.supervised import ask


def test_a_folder_that_cannot_be_written_is_a_sentence(folder: Path) -> None:
    (folder / "file").touch()
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    refused = [folder / "file", folder / "file/below", *([closed, closed / "below"] if os.geteuid() else [])]
    for place in refused:
        with pytest.raises(PostgresqlError, match=r"não consegue usar a pasta .* Confira as permissões"):
            start(place)


@pytest.mark.usefixtures("used")
def test_data_of_another_version_are_not_touched(folder: Path) -> None:
    (folder / "postgres/PG_VERSION").write_text("14\n")
    with pytest.raises(PostgresqlError, match="são do PostgreSQL 14, que não está nesta máquina"):
        start(folder)


@pytest.mark.usefixtures("used")
def test_damaged_data_are_a_sentence_that_names_the_log(folder: Path) -> None:
    (folder / "postgres/global/pg_control").unlink()
    with pytest.raises(PostgresqlError, match=r"não iniciou: .*postgres\.log"):
        start(folder)


@pytest.mark.usefixtures("used")
def test_a_server_that_runs_on_data_without_their_database_is_a_sentence_at_once(folder: Path) -> None:
    for database in (folder / "postgres/base").iterdir():
        shutil.rmtree(database)
    with pytest.raises(PostgresqlError, match="estão danificados"):
        start(folder)
    assert find_running(folder) is None


def test_data_that_a_pointer_promises_and_that_are_gone_are_said(folder: Path) -> None:
    (folder / "postgres").symlink_to(folder / "gone/postgres")
    with pytest.raises(PostgresqlError, match="que não existe mais"):
        start(folder)


def test_data_of_root_are_a_sentence(folder: Path) -> None:
    (folder / "postgres").symlink_to("/etc")
    with pytest.raises(PostgresqlError, match="pertence ao root"):
        start(folder)


@pytest.mark.usefixtures("used")
def test_existing_data_that_their_account_cannot_reach_are_a_sentence(folder: Path) -> None:
    folder.chmod(0o700)
    if os.geteuid():
        with start(folder, durable=False) as running:
            assert ask(running.server, "SELECT 1") == 1
        return
    with pytest.raises(PostgresqlError, match="não tem acesso à pasta"):
        start(folder)


@pytest.mark.usefixtures("used")
@pytest.mark.parametrize("version", ["x\n", "", "\xff", None])
def test_data_whose_version_cannot_be_read_are_a_sentence(folder: Path, version: str | None) -> None:
    file = folder / "postgres/PG_VERSION"
    if version is None:
        file.unlink()
    else:
        file.write_text(version)
    with pytest.raises(PostgresqlError, match=r"não estão inteiros: .*PG_VERSION.* restaure uma cópia"):
        start(folder)


@pytest.mark.usefixtures("used")
def test_a_pid_file_of_random_bytes_is_no_server(folder: Path) -> None:
    for content in (b"\xff\xfe" * 100, b"1\n2\n3\nabc\n5\n6\n7\n", "²\n2\n3\n³\n5\n6\n7\n".encode()):
        (folder / "postgres/postmaster.pid").write_bytes(content)
        assert find_running(folder) is None
