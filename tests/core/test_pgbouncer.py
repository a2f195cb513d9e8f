"""PgBouncer in front of the database: it works with session pooling, and transaction pooling is refused."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from balcao.core.database.pool import Connection, Database
from balcao.core.database.servers import SESSION
from balcao.core.errors import Unavailable
from balcao.operate.doctor import database as doctor
from balcao.operate.doctor.checks import Part, Subject
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, open_folder, remove

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


async def test_sessions_behind_a_pgbouncer_have_their_role_and_parameters(database_url: str, tmp_path: Path) -> None:
    with bounce(database_url, read_manual()) as url:
        database = Database(url, size=2)
        await database.open()
        try:
            listener = await database.listener(PATIENCE)
            async with database.connection() as connection:
                for session in (connection, listener):
                    shown = dict(await session.fetch("SELECT name, setting FROM pg_settings"))
                    assert await session.fetchval("SELECT current_user") == "balcao_app"
                    assert shown["idle_in_transaction_session_timeout"] == "60000"
                    assert shown["client_connection_check_interval"] == "1000"
                    assert {shown["TimeZone"], shown["application_name"]} == {SESSION["timezone"], "balcao"}
            await listener.close()
        finally:
            await database.close()
        assert (await look(url, tmp_path)).problems == []


@pytest.mark.long
async def test_the_platform_works_behind_a_pgbouncer_that_lends_whole_sessions(
    database_url: str, tmp_path: Path
) -> None:
    with bounce(database_url, read_manual()) as url:
        terminal = Terminal(tmp_path, database_url=url, sandbox="true", port=(port := free_port()))
        assert terminal.run("migrate").returncode == 0
        with Serving(terminal):
            answer = await asyncio.to_thread(httpx.get, f"http://127.0.0.1:{port}/access/readiness", timeout=PATIENCE)
            assert answer.status_code == 200, answer.text


@pytest.mark.long
async def test_a_pgbouncer_that_changes_sessions_between_transactions_is_refused(
    database_url: str, tmp_path: Path
) -> None:
    with bounce(database_url, read_manual().replace("session", "transaction", 1)) as url:
        assert "`pool_mode = session`" in " ".join((await look(url, tmp_path)).problems)
        terminal = Terminal(tmp_path, database_url=url)
        # In the second process, the session already has the statements that the first one prepared.
        for command in ("migrate", "serve", "worker"):
            assert "`pool_mode = session`" in terminal.refusal(command), command
        assert "`pool_mode = session`" in terminal.run("doctor").stdout


async def write(database: Database, used: list[Connection]) -> None:
    async with database.connection() as connection:
        used.append(connection)
        assert connection.get_settings().default_transaction_read_only == "off"
        await connection.execute("CREATE TABLE platform.refused ()")


async def test_a_write_that_a_pgbouncer_sends_to_a_replica_drops_all_connections(database_url: str, sql: Sql) -> None:
    """PgBouncer announces the settings of the first server to every client, so the new server looks writable."""
    login, used = urlsplit(database_url).username, list[Connection]()
    with bounce(database_url, read_manual()) as url:
        database = Database(url, size=4, role=None)
        await database.open()
        try:
            # The first three use the sessions that exist already, also the one of the check at the start.
            async with database.connection() as one, database.connection() as two, database.connection() as three:
                used += one, two, three
                await asyncio.to_thread(sql, f"ALTER ROLE {login} SET default_transaction_read_only = on")
                with pytest.raises(Unavailable):
                    await write(database, used)
            assert [each.is_closed() for each in used] == [True] * 4
        finally:
            await database.close()
            await asyncio.to_thread(sql, f"ALTER ROLE {login} RESET default_transaction_read_only")
