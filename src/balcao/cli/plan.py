"""What one `balcao serve` is to start, and what it takes hold of before it starts anything: ports and data folder."""

import contextlib
import errno
import fcntl
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from balcao import app
from balcao.cli.faults import OperatorFault, needing_folder
from balcao.settings import Settings, SettingsError

BACKLOG = 2048
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Plan:
    settings: Settings
    services: tuple[str, ...]
    worker: bool
    crm: bool

    @property
    def whole(self) -> bool:
        return not self.services


def plan(settings: Settings, services: tuple[str, ...], worker: bool | None) -> Plan:
    """Raises SettingsError for an unknown service, and with every refusal of the production profile."""
    app.chosen(services)
    if refusals := settings.refusals():
        raise SettingsError("\n".join(refusals))
    with_worker = not services if worker is None else worker
    return Plan(settings, services, with_worker, settings.sandbox_crm and (not services or with_worker))


@contextmanager
def listening(host: str, port: int, title: str) -> Iterator[socket.socket]:
    """Held from before the start: connections that come too early wait instead of being refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((host, port))
            held.listen(BACKLOG)
        except OSError as fault:
            why = "já está em uso" if fault.errno == errno.EADDRINUSE else f"não pode ser usada ({fault.strerror})"
            raise OperatorFault(
                f"A porta {port} de {host} ({title}) {why}: libere-a, ou indique outra porta base em BALCAO_PORT."
            ) from fault
        yield held


def prepared(folder: Path) -> None:
    """The data folder is there and can be written to. Raises OperatorFault."""
    with needing_folder(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass


@contextmanager
def sole_holder(folder: Path) -> Iterator[bool]:
    """Whether this process alone runs the data folder's embedded parts."""
    with contextlib.ExitStack() as opened:
        with needing_folder(folder):
            lock = opened.enter_context((folder / "serve.lock").open("ab"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
