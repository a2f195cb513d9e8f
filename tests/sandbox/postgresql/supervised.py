"""An embedded PostgreSQL that another process supervises, and a helper that queries it."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from balcao.operate.postgresql.accounts import Account
from balcao_sandbox.postgresql import supervisor
from balcao_sandbox.postgresql.supervisor import Server
from tests.support.polling import PATIENCE

SRC = Path(supervisor.__file__).parents[2]

# A background process inherits a setting that ignores SIGINT, so this restores the default.
SUPERVISOR = """
import signal, sys
from pathlib import Path
from balcao_sandbox.postgresql.supervisor import start
signal.signal(signal.SIGINT, signal.default_int_handler)
with start(Path(sys.argv[1]), durable=False) as running:
    try:
        print(running.started, flush=True)
        sys.stdin.read()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.stdin.read()
"""
FORKING_SUPERVISOR = """
import os, sys
from pathlib import Path
from balcao_sandbox.postgresql.supervisor import start
running = start(Path(sys.argv[1]), durable=False)
reading, writing = os.pipe()
if os.fork():
    os.read(reading, 1)  # on a busy machine the fork begins late, and has not let go of anything before
    print(running.started, flush=True)
else:
    os.write(writing, b"1")
sys.stdin.read()
"""


@contextmanager
def supervised(folder: Path, script: str = SUPERVISOR) -> Iterator[subprocess.Popen[str]]:
    """Yield another process, which runs the server whose data are in `folder`."""
    command = [sys.executable, "-c", script, str(folder)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, env=environment(), start_new_session=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SRC)}


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def ask(server: Server, *statements: str) -> Any:
    """Run the statements, and return the value of the last one."""

    async def asking() -> Any:
        connection = await asyncpg.connect(server.url, timeout=PATIENCE)
        try:
            return [await connection.fetchval(statement) for statement in statements][-1]
        finally:
            await connection.close()

    return asyncio.run(asking())


def postmaster(server: Server) -> int:
    return int((server.data_dir / "postmaster.pid").read_text().splitlines()[0])


def owner(path: Path) -> Account:
    found = path.stat()
    return Account(found.st_uid, found.st_gid)
