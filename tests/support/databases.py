"""One PostgreSQL server for the whole run, a migrated template, and a copy of it for each module that writes."""

import asyncio
import functools
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg

from balcao import app
from balcao_sandbox.postgresql import supervisor
from tests.support import run_folder
from tests.support.polling import until_now

TEMPLATE = "template_migrated"


class Cluster:
    """The PostgreSQL server of the run.

    The controlling process starts it while the workers are still loading the tests.
    """

    def __init__(self) -> None:
        self._running: supervisor.Running | None = None
        self._thread = threading.Thread(target=self._start)
        self._thread.start()

    def _start(self) -> None:
        address = ""
        try:
            self._running = supervisor.start(run_folder.path(), durable=False)
            address = self._running.server.url
            _administer(address, f'CREATE DATABASE "{TEMPLATE}" TEMPLATE template1')
            app.migrate_now(_named(address, TEMPLATE))
        finally:
            fresh = _address_file().with_suffix(".new")
            fresh.write_text(address)
            fresh.rename(_address_file())

    def stop(self) -> None:
        self._thread.join()
        if self._running:
            self._running.stop()


def url_of(name: str) -> str:
    return _named(_address(), name)


def new_name(word: str = "test") -> str:
    return f"{word}_{uuid4().hex[:12]}"


def create(name: str, template: str = TEMPLATE) -> str:
    """Create a copy of the template, and return the address of the copy."""
    # FILE_COPY is five times as fast as WAL_LOG here, because the tests' server does not flush data to disk.
    _administer(_address(), f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    return url_of(name)


def create_empty(name: str, options: str) -> str:
    """Create a database without tables, with these options for CREATE DATABASE, and return its address."""
    _administer(_address(), f'CREATE DATABASE "{name}" TEMPLATE template0 {options}')
    return url_of(name)


def replace_by_copy(url: str, template: str, fill: Callable[[str], object]) -> None:
    """Replace an unused database with a copy of `template`. In a run, `fill` fills the template only once.

    `fill` gets the address of the database to fill. If several runs share the PostgreSQL server, `fill` fills each
    database separately. Otherwise, a mutant would be tested with rows that another mutant stored.
    """
    if run_folder.shared():
        fill(url)
        return

    def fill_new(file: Path) -> None:
        name = new_name(template)
        fill(create(name))
        file.write_text(name)

    own = urlsplit(url).path.removeprefix("/")
    drop(own)
    create(own, run_folder.make_once(template, fill_new).read_text())


def drop(name: str) -> None:
    _administer(_address(), f'DROP DATABASE "{name}" WITH (FORCE)')


def _address_file() -> Path:
    return run_folder.path() / "database-address"


@functools.cache
def _address() -> str:
    """Wait until the template exists, and return the server's address.

    The address is stored in the run's folder.
    """
    until_now(_address_file().exists)
    address = _address_file().read_text()
    if not address:
        raise RuntimeError("the PostgreSQL of the tests did not start")
    return address


def _named(address: str, name: str) -> str:
    return address.replace("@/balcao?", f"@/{name}?")


def _administer(address: str, statement: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(address)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())
