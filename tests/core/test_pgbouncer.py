"""PgBouncer in front of the database: `doctor` reports faults, and the manual's configuration works."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from balcao.operate.doctor import database as doctor
from balcao.operate.doctor.checks import Part, Subject
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import Terminal, open_folder, remove

pytestmark = pytest.mark.pgbouncer
MANUAL = Path(__file__).parents[2] / "docs/operate/install.md"
CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = any
{lines}
"""


def read_manual() -> str:
    """Return the configuration lines from the manual."""
    (lines,) = [
        block.removeprefix("ini\n")
        for block in MANUAL.read_text("utf-8").split("```")[1::2]
        if block.startswith("ini\n") and "pool_mode" in block
    ]
    return lines


@contextmanager
def bounce(database_url: str, lines: str) -> Iterator[str]:
    """Run a PgBouncer with these lines in front of the database, and yield the address to connect to."""
    folder, own = open_folder(), free_port()
    address = urlsplit(database_url)
    query = parse_qs(address.query)
    file = folder / "pgbouncer.ini"
    file.write_text(
        CONFIGURATION.format(host=query["host"][0], port=query["port"][0], user=address.username, own=own, lines=lines)
    )
    log = folder / "log"
    # PgBouncer refuses to run as root, so run it as the owner of PostgreSQL's socket.
    account = ["-u", Path(query["host"][0]).owner()] if os.geteuid() == 0 else []
    with log.open("w") as output:
        running = subprocess.Popen([os.environ["BALCAO_PGBOUNCER"], *account, file], stderr=output, stdout=output)
    try:
        until_now(lambda: "process up" in log.read_text() or running.poll() is not None)
        yield f"postgresql://{address.username}@127.0.0.1:{own}{address.path}"
    finally:
        running.kill()
        running.wait()
        remove(folder)


async def look(url: str, folder: Path) -> Part:
    """Return the result of `doctor`'s database check."""
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        found = await doctor.CHECK.examine(Subject(Settings(database_url=url, data_dir=folder), http, folder))
    assert found is not None
    return found


async def test_a_pgbouncer_that_refuses_our_session_is_named(database_url: str, tmp_path: Path) -> None:
    with bounce(database_url, "") as url:
        assert "unsupported startup parameter" in Terminal(tmp_path, database_url=url).refusal("migrate")
        (problem,) = (await look(url, tmp_path)).problems
    assert "PgBouncer" in problem
    assert "não responde" not in problem


async def test_a_pgbouncer_that_gives_a_transaction_any_connection_is_named(database_url: str, tmp_path: Path) -> None:
    with bounce(database_url, read_manual().replace("session", "transaction", 1)) as url:
        assert "usam a mesma sessão" in " ".join((await look(url, tmp_path)).problems)


async def test_parameters_that_a_pgbouncer_drops_are_named_until_the_role_has_them(
    database_url: str, tmp_path: Path, sql: Sql
) -> None:
    with bounce(database_url, read_manual()) as url:
        (problem,) = (await look(url, tmp_path)).problems
        statements = [line.strip() for line in problem.splitlines() if "ALTER ROLE" in line]
        assert [statement.split()[4] for statement in statements] == [
            "client_connection_check_interval",
            "idle_in_transaction_session_timeout",
        ]
        for statement in statements:
            await asyncio.to_thread(sql, statement)
    try:
        with bounce(database_url, read_manual()) as url:
            assert (await look(url, tmp_path)).problems == []
            assert Terminal(tmp_path, database_url=url).run("migrate").returncode == 0
    finally:
        await asyncio.to_thread(sql, f"ALTER ROLE {urlsplit(database_url).username} RESET ALL")
