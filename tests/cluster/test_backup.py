"""A restore to a point in time restores data and roles, but no people who were erased after that time."""

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao_sandbox.postgresql import supervisor
from tests.cluster.postgres import Postgres
from tests.cluster.servers import prepare
from tests.support import log_scan
from tests.support.polling import until_now
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Terminal, open_folder, remove

pytestmark = pytest.mark.cluster

STAYS, ERASED, LATER, TOLD = (Cpf.with_stem(f"95000000{number}").digits for number in (1, 2, 3, 4))
WRITE = """
WITH head AS (INSERT INTO registry.mirror_head (cpf) VALUES ($1))
INSERT INTO registry.register (cpf, field, value, at, origin) VALUES ($1, 'nomeExibicao', '"Inventada"', now(), 'crm')
"""
# The statement has the effect of a CRM event that anonymises a person.
TELL = "UPDATE registry.mirror_head SET anonymised_at = now() WHERE cpf = $1"
PEOPLE = "SELECT cpf FROM registry.register WHERE cpf = ANY ($1) ORDER BY cpf"
FILES = "SELECT id::text FROM registry.citizen_file"
STORE = """
INSERT INTO registry.citizen_file (cpf, id, media_type, size, digest)
VALUES ($1, $2::text::uuid, 'application/pdf', 1, sha256($2::text::bytea))
"""
COUNTED = "SELECT FROM platform.backup WHERE kind = 'copy'"
RECOVERY = "SELECT setting FROM pg_settings WHERE name IN ('recovery_target_time', 'restore_command')"
RECEIVED = "SELECT FROM pg_stat_replication WHERE application_name = 'pg_receivewal' AND flush_lsn >= $1::text::pg_lsn"


@pytest.fixture
def folders() -> Iterator[tuple[Path, Path, Path]]:
    made = open_folder(), open_folder(), open_folder()
    yield made
    for folder in made:
        remove(folder)


def run(data: Path, statement: str, *args: object) -> list[asyncpg.Record]:
    async def fetch() -> list[asyncpg.Record]:
        server = supervisor.find_running(data)
        assert server
        connection = await asyncpg.connect(server.url)
        try:
            return list(await connection.fetch(statement, *args))
        finally:
            await connection.close()

    return asyncio.run(fetch())


def store_file(data: Path, cpf: str) -> str:
    """Store a file whose content is its own name, and return the name."""
    name = new_id()
    place = data / "files" / name[-2:] / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(name)
    run(data, STORE, cpf, name)
    return name


def anonymise(terminal: Terminal, cpf: str) -> None:
    rehearsed = terminal.json("citizen", "anonymise", cpf, "--reason", "Pedido do titular", "--dry-run")
    confirmed = ("--confirmation", rehearsed["confirmation"])
    terminal.json("citizen", "anonymise", cpf, "--reason", "Pedido do titular", *confirmed)


def test_it_comes_back_as_it_was_at_that_instant_but_for_who_was_erased_since(
    folders: tuple[Path, Path, Path],
) -> None:
    first, second, copies = folders
    terminal = Terminal(first, data_dir=first, port=free_port())
    assert terminal.run("migrate").returncode == 0
    with supervisor.start(first), (log_scan.folder() / "follow.log").open("wb") as said:
        run(first, WRITE, STAYS)
        kept = store_file(first, STAYS)
        name = terminal.run("backup", "create", str(copies)).stdout.strip()
        follow = [str(BALCAO), "backup", "follow", str(copies)]
        with subprocess.Popen(follow, env=terminal.environment, stdout=said, stderr=said) as following:
            run(first, WRITE, ERASED)
            run(first, WRITE, TOLD)
            erased, deleted = store_file(first, ERASED), store_file(first, STAYS)
            until_now(lambda: {kept, erased, deleted} <= {path.name for path in (copies / "files").glob("*/*")})
            until_now(lambda: (copies / "wal").exists())
            until = datetime.now(UTC).isoformat()
            run(first, WRITE, LATER)
            anonymise(terminal, ERASED)
            run(first, TELL, TOLD)
            run(first, "DELETE FROM registry.citizen_file WHERE id = $1", deleted)
            (first / "files" / deleted[-2:] / deleted).unlink()
            written = run(first, "SELECT pg_current_wal_flush_lsn()::text")[0][0]
            until_now(lambda: bool(run(first, RECEIVED, written)))
            until_now(lambda: (copies / "erased.jsonl").exists() and TOLD in (copies / "erased.jsonl").read_text())
            following.send_signal(signal.SIGTERM)
    assert following.returncode == 0
    restored = Terminal(second, data_dir=second, port=free_port())
    done = restored.run("backup", "restore", str(copies), "--until", until)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Restaurada a cópia {name}.\nEliminações repetidas: 2. Arquivos repostos: 3.\n"
    with supervisor.start(second):
        # A replica of this server would otherwise stop at the recovery target.
        assert {row["setting"] for row in run(second, RECOVERY)} == {""}
        assert [row["cpf"] for row in run(second, PEOPLE, [STAYS, ERASED, LATER, TOLD])] == [STAYS]
        assert {row["id"] for row in run(second, FILES)} == {kept, deleted}
        assert {row["id"] for row in run(second, "SELECT id::text FROM registry.deleted_file")} == {erased}
        for file in (kept, deleted):
            assert (second / "files" / file[-2:] / file).read_bytes() == file.encode()
        assert run(second, "SELECT FROM pg_roles WHERE rolname = 'balcao_app'")
        assert restored.json("doctor", "--json")["parts"]["database"]["details"]["up_to_date"]
    assert "Já há dados" in restored.refusal("backup", "restore", str(copies))


def test_a_server_of_ones_own_comes_back_from_the_one_copy_that_is_kept(folders: tuple[Path, Path, Path]) -> None:
    """Follow docs/operate/backup.md: restore with `--into`, start the server, run `erase-again`, prune old copies."""
    first, second, copies = folders
    with Postgres.create(first) as server, (log_scan.folder() / "follow.log").open("wb") as said:
        prepare(server)
        server.sql("CREATE ROLE balcao_backup LOGIN REPLICATION", database="postgres")
        terminal = Terminal(first, port=free_port(), **addresses(server), backup_url=server.url("balcao_backup"))
        assert terminal.run("backup", "create", str(copies)).returncode == 0
        follow = [str(BALCAO), "backup", "follow", str(copies)]
        with subprocess.Popen(follow, env=terminal.environment, stdout=said, stderr=said) as following:
            until_now(lambda: any((copies / "wal").glob("0*")))
            server.sql(WRITE, STAYS)
            server.sql("SELECT pg_switch_wal()", database="postgres")
            server.sql(WRITE, ERASED)
            made = terminal.run("backup", "create", str(copies), "--keep", "1").stdout.splitlines()
            assert [copy.name for copy in (copies / "base").iterdir()] == made[:1]
            assert made[1].startswith("Apagados: 1 cópias")
            server.sql(WRITE, LATER)
            until = datetime.now(UTC).isoformat()
            anonymise(terminal, ERASED)
            written = server.sql("SELECT pg_current_wal_flush_lsn()::text")[0][0]
            until_now(lambda: bool(server.sql(RECEIVED, written)))
            until_now(lambda: (copies / "erased.jsonl").exists() and ERASED in (copies / "erased.jsonl").read_text())
            following.send_signal(signal.SIGTERM)
        assert following.returncode == 0
    done = terminal.run("backup", "restore", str(copies), "--until", until, "--into", str(second))
    assert (done.returncode, "erase-again" in done.stdout) == (0, True), done.stderr
    restored = Postgres(second)
    restored.prepare()  # let the server's account use the folder
    with restored:
        until_now(lambda: not restored.sql("SELECT pg_is_in_recovery()")[0][0])
        wanted = [STAYS, ERASED, LATER]
        assert [row["cpf"] for row in restored.sql(PEOPLE, wanted)] == wanted
        again = Terminal(second, port=free_port(), **addresses(restored))
        completed = again.run("backup", "erase-again", str(copies)).stdout
        assert completed == "Eliminações repetidas: 1. Arquivos repostos: 0.\n"
        assert [row["cpf"] for row in restored.sql(PEOPLE, wanted)] == [STAYS, LATER]
        assert again.json("doctor", "--json")["parts"]["database"]["details"]["up_to_date"]


def test_a_copy_without_every_file_does_not_count_as_made(folders: tuple[Path, Path, Path]) -> None:
    first, _, copies = folders
    terminal = Terminal(first, data_dir=first, port=free_port())
    assert terminal.run("migrate").returncode == 0
    with supervisor.start(first):
        run(first, WRITE, STAYS)
        run(first, STORE, STAYS, new_id())  # a row whose content the storage lacks
        assert "não estão completos (faltam 1)" in terminal.refusal("backup", "create", str(copies))
        assert run(first, COUNTED) == []
        run(first, "DELETE FROM registry.citizen_file")
        assert terminal.run("backup", "create", str(copies)).returncode == 0
        assert len(run(first, COUNTED)) == 1


def test_the_copy_is_made_from_the_server_that_accepts_writes(folders: tuple[Path, Path, Path]) -> None:
    first, second, copies = folders
    with Postgres.create(first) as primary, primary.copy(second) as replica:
        prepare(primary)
        primary.sql("CREATE ROLE balcao_backup LOGIN REPLICATION", database="postgres")
        both = f"postgresql://balcao_backup@127.0.0.1:{replica.port},127.0.0.1:{primary.port}/balcao"
        terminal = Terminal(first, port=free_port(), **addresses(primary), backup_url=both)
        done = terminal.run("backup", "create", str(copies))
        assert done.returncode == 0, done.stderr
        assert "BACKUP FROM: primary" in (copies / "base" / done.stdout.strip() / "backup_label").read_text()
        follow = [str(BALCAO), "backup", "follow", str(copies)]
        with subprocess.Popen(follow, env=terminal.environment, stdout=subprocess.DEVNULL) as following:
            until_now(lambda: bool(primary.sql(RECEIVED, "0/0")))
            following.send_signal(signal.SIGTERM)


def addresses(server: Postgres) -> dict[str, str]:
    return {"database_url": server.url("balcao_app"), "database_owner_url": server.url("balcao")}


def test_a_damaged_copy_is_told_and_never_restored(folders: tuple[Path, Path, Path]) -> None:
    first, second, copies = folders
    terminal = Terminal(first, data_dir=first, port=free_port())
    assert "não há cópia" in terminal.refusal("backup", "verify", str(copies))
    assert terminal.run("migrate").returncode == 0
    name = terminal.run("backup", "create", str(copies)).stdout.strip()
    assert terminal.run("backup", "verify", str(copies)).stdout == f"{name}  inteira\n"
    damaged = max(
        (copies / "base" / name / "base").rglob("[0-9]*"), key=lambda file: file.is_file() and file.stat().st_size
    )
    with damaged.open("r+b") as file:
        file.seek(5000)
        file.write(b"something else")
    verified = terminal.run("backup", "verify", str(copies))
    assert (verified.returncode, verified.stdout.startswith(f"{name}  danificada")) == (1, True)
    other = Terminal(second, data_dir=second, port=free_port())
    assert "pg_verifybackup" in other.refusal("backup", "restore", str(copies))
    assert not (second / "postgres").exists()
