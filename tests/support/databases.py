"""One PostgreSQL for the whole run, one migrated template, a copy for each module."""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from uuid import uuid4

import asyncpg

from balcao import app
from balcao.core.embedded import supervisor

URL_VARIABLE = "BALCAO_TEST_DATABASE_URL"
TEMPLATE = "template_migrated"


class Cluster:
    """Started by the process that controls the run; its workers find it by the environment."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="balcao-test-"))
        self._folder.chmod(0o755)
        self._running = supervisor.start(self._folder, durable=False)
        os.environ[URL_VARIABLE] = self._running.server.url
        create(TEMPLATE, "template1")
        app.migrate_now(url_of(TEMPLATE))

    def stop(self) -> None:
        self._running.stop()
        os.environ.pop(URL_VARIABLE, None)
        shutil.rmtree(self._folder, ignore_errors=True)


def url_of(name: str) -> str:
    return os.environ[URL_VARIABLE].replace("@/balcao?", f"@/{name}?")


def new_name(word: str = "test") -> str:
    return f"{word}_{uuid4().hex[:12]}"


def create(name: str, template: str = TEMPLATE) -> str:
    """A copy of the template; answers its address."""
    _administer(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return url_of(name)


def drop(name: str) -> None:
    _administer(f'DROP DATABASE "{name}" WITH (FORCE)')


def _administer(statement: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(os.environ[URL_VARIABLE])
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())
