"""PostgreSQL servers on loopback ports that tests can copy, kill, promote and pause."""

import asyncio
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import asyncpg
import psutil

from balcao.operate.postgresql.accounts import child_options
from balcao.operate.postgresql.data_directory import locate_data
from balcao.operate.postgresql.programs import find_binaries
from tests.support.polling import until_now
from tests.support.server import free_port

OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "log",
}
# The replica's application name, and the name of its replication slot, which retains WAL that the replica lacks.
COPY = "copy"
_FORGET_COPY = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1"


class Postgres:
    """A server in a folder that its operating system account can use.

    As a context manager, it kills the server at the end.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.data, self.account = locate_data(folder)
        self.binaries = find_binaries(self.data, self.account)
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Create a server with the roles and the database of docs/operate/install.md, without starting it."""
        made = cls(folder)
        made.prepare()
        access = ("--auth=trust", "-U", "postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
        made.run("initdb", "-D", made.data, *access)
        return made

    def prepare(self) -> None:
        """Make the server's account the owner of the folder, as a distribution's package would."""
        self.account.own(self.folder)

    def run(self, program: str, *words: object) -> None:
        done = self.account.run(self.binaries / program, *map(str, words))
        assert done.returncode == 0, done.stderr

    def copy(self, folder: Path) -> "Postgres":
        """Create a replica of this running server, without starting it."""
        made = Postgres(folder)
        made.prepare()
        made.copy_from(self)
        return made

    def copy_from(self, primary: "Postgres") -> None:
        """Become a replica of the running server `primary`.

        Stop this server first. Its data is deleted.
        """
        shutil.rmtree(self.data, ignore_errors=True)
        primary.sql(_FORGET_COPY, COPY, database="postgres")
        source = f"host=127.0.0.1 port={primary.port} user=postgres application_name={COPY}"
        self.run("pg_basebackup", "-d", source, "-D", self.data, "-R", "-C", "-S", COPY, "-c", "fast", "--no-sync")

    def processes(self) -> list[psutil.Process]:
        """Return all processes of the server, or an empty list if it is not running."""
        if self._process is None:
            return []
        with suppress(psutil.NoSuchProcess):
            server = psutil.Process(self._process.pid)
            return [server, *server.children()]
        return []

    def url(self, login: str = "postgres", database: str = "balcao") -> str:
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        self.spawn()
        until_now(self._has_started)

    def spawn(self) -> None:
        """Start the server without waiting. The start may fail immediately."""
        options = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        command: list[str | Path] = [
            self.binaries / "postgres",
            "-D",
            self.data,
            "-p",
            str(self.port),
            "-k",
            self.folder,
            *options,
        ]
        with self.account.open(self.folder / "postgres.log") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **self.account.switch, **child_options())

    @property
    def has_ended(self) -> bool:
        """Return whether the server process has ended without being stopped by a test."""
        return self._process is not None and self._process.poll() is not None

    def _has_started(self) -> bool:
        assert not self.has_ended, (self.folder / "postgres.log").read_text()
        return self.answers

    @property
    def answers(self) -> bool:
        """Return whether the server accepts connections."""
        try:
            self.sql("SELECT", database="postgres")
        except (OSError, asyncpg.PostgresError):
            return False
        return True

    def sql(self, statement: str, *args: Any, database: str = "balcao") -> list[asyncpg.Record]:
        """Run one statement as the administrator. The calling thread must not have an event loop."""

        async def run() -> list[asyncpg.Record]:
            connection = await asyncpg.connect(self.url(database=database))
            try:
                return list(await connection.fetch(statement, *args))
            finally:
                await connection.close()

        return asyncio.run(run())

    def kill(self) -> None:
        """Kill all processes of the server with SIGKILL, and wait until they have ended. They share a session.

        The server cannot start again while one of them holds its shared memory.
        """
        if self._process:
            orphans = self.processes()[1:]
            subprocess.run(["pkill", "-KILL", "-s", str(self._process.pid)], check=False)
            self._process.wait()
            self._process = None
            until_now(lambda: all(map(_has_ended, orphans)))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self.kill()


def _has_ended(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True
