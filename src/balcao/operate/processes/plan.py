"""Plan what `balcao serve`, `balcao panel` or `balcao site` starts, and claim the ports and the data folder."""

import contextlib
import errno
import fcntl
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO

from balcao import sandbox
from balcao.core.context import processes
from balcao.operate.faults import OperatorFault, writing_to
from balcao.operate.names import SERVICES
from balcao.operate.processes.channel import Watched
from balcao.settings import Settings, SettingsError

LOOPBACK = "127.0.0.1"
# The timeout in seconds for a request to the program that already uses our port. The request only improves the error
# message.
_LOOK_TIMEOUT = 1.0
# The surfaces that can be served without the services, with their names in messages.
SURFACES = {"panel": "painel", "site": "site"}
# Linux distributes connections evenly among the sockets that share a port. Other systems give all connections to one
# socket.
BALANCES_CONNECTIONS = sys.platform == "linux"


@dataclass(frozen=True)
class Ports:
    """The bound sockets: one for each process that callers reach (role `front`), and one for each other role."""

    front: str
    shared: tuple[socket.socket, ...]
    single: Mapping[str, socket.socket]

    def choose(self, roles: Sequence[str], process: int) -> dict[str, socket.socket]:
        """Return the sockets of these roles for the process with this number. The worker has no socket."""
        all_roles = {self.front: self.shared[process % len(self.shared)], **self.single}
        return {role: all_roles[role] for role in roles if role in all_roles}


@dataclass(frozen=True)
class Plan:
    """The roles that a command starts. `processes` is the number of processes that callers reach."""

    settings: Settings
    services: tuple[str, ...]
    roles: tuple[str, ...]
    processes: int

    @property
    def front(self) -> str:
        """The role that serves callers: `api`, or `panel` or `site` if only that surface is served."""
        return next((role for role in self.roles if role in SURFACES), "api")

    @property
    def whole(self) -> bool:
        """Whether all services are served."""
        return self.front == "api" and not self.services

    @property
    def port(self) -> int:
        """The port that callers reach."""
        ports = {"panel": self.settings.panel_port, "site": self.settings.site_port}
        return ports.get(self.front, self.settings.port)

    @property
    def together(self) -> bool:
        """Whether one process has all roles. One process is enough for a trial, and needs a third of the memory."""
        return self.settings.sandbox and self.processes == 1

    @property
    def watched(self) -> Watched:
        """The processes on which the management port reports."""
        names = [f"{self.front}-{number}" for number in range(self.processes)]
        with_jobs = "worker" in self.roles
        if with_jobs and not self.together:
            names.append("worker-0")
        return Watched(tuple(names), with_jobs)

    @property
    def connections_of_each(self) -> int:
        """The number of database connections that a process may open. The sandbox CRM opens none."""
        sharing = 1 if self.together else self.processes + ("worker" in self.roles)
        return self.settings.share_of_connections(sharing)

    def make_shared_folder(self) -> str:
        """Create the folder in which the processes share counters. Return an empty string for a single process.

        The folder's name contains the port, so that another `balcao serve` on the same data has its own folder.
        """
        if self.together:
            return ""
        folder = self.settings.data_dir / f"processes-{self.port}"
        with writing_to(folder):
            processes.prepare_group(folder)
        return str(folder.resolve())

    @contextmanager
    def take_ports(self) -> Iterator[Ports]:
        """Bind the ports before anything is started. Each process listens on its sockets when it is ready.

        Until then, connections are refused, so that a gateway tries another host instead of waiting for this one.
        """
        settings = self.settings
        if settings.sandbox:
            prepare_data_folder(settings.data_dir)
        with ExitStack() as stack:
            shared = stack.enter_context(self._claim_front())
            single = {}
            if "crm" in self.roles:
                (single["crm"],) = stack.enter_context(claiming(LOOPBACK, settings.crm_port, "CRM de demonstração"))
            if "management" in self.roles:
                (single["management"],) = stack.enter_context(self._claim_management())
            yield Ports(self.front, shared, single)

    def _claim_front(self) -> AbstractContextManager[tuple[socket.socket, ...]]:
        settings = self.settings
        if self.front in SURFACES:
            named = ("BALCAO_HOST", f"outra em BALCAO_{self.front.upper()}_PORT")
            return claiming(settings.host, self.port, SURFACES[self.front], self.processes, settings=named)
        return claiming(settings.host, self.port, "APIs", self.processes)

    def _claim_management(self) -> AbstractContextManager[tuple[socket.socket, ...]]:
        settings = self.settings
        host, port = settings.management_host, settings.management_port
        if self.front == "panel" and (own := settings.management_port_of_panel) is not None:
            return claiming_for_management(host, own, "BALCAO_PANEL_MANAGEMENT_PORT")
        assert port is not None
        return claiming_for_management(host, port)


def list_surface_urls(settings: Settings) -> dict[str, str]:
    """Return the database address of each surface, by role. It is empty if the surface uses the services' address."""
    return {"panel": settings.panel_database_url, "site": settings.site_database_url}


_OF_SERVICES = frozenset({"BALCAO_DATABASE_OWNER_URL", "BALCAO_DATABASE_URL", "BALCAO_DATABASE_READ_URL"})


def list_withheld(roles: Sequence[str], settings: Settings) -> frozenset[str]:
    """Return the names of the environment variables that a process with these roles must not get.

    Only the worker acts as the tables' owner. A process of the panel or the site does not get the services' login if
    the surface has its own.
    """
    if any(role in roles and url for role, url in list_surface_urls(settings).items()):
        return _OF_SERVICES
    if "site" in roles and not settings.has_site_login:
        return _OF_SERVICES
    return frozenset() if "worker" in roles else frozenset({"BALCAO_DATABASE_OWNER_URL"})


def make_plan(settings: Settings, services: tuple[str, ...], worker: bool | None, processes: int | None = None) -> Plan:
    """Return the plan of `balcao serve`.

    Raises SettingsError for an unknown service, if the production profile refuses the settings, and in the sandbox if
    the trial is not installed.
    """
    if unknown := sorted(set(services) - set(SERVICES)):
        raise SettingsError(f"Serviço desconhecido: {', '.join(unknown)}. Existem: {', '.join(SERVICES)}.")
    with_worker = not services if worker is None else worker
    if refusals := settings.list_refusals(with_worker=with_worker):
        raise SettingsError("\n".join(refusals))
    sandbox.require_trial(settings)
    with_crm = settings.sandbox_crm and (not services or with_worker)
    # The roles in starting order: a role that others call starts before its callers.
    wanted = {"crm": with_crm, "management": settings.management_port is not None, "worker": with_worker, "api": True}
    roles = tuple(role for role, is_wanted in wanted.items() if is_wanted)
    return Plan(settings, services, roles, processes or (1 if settings.sandbox else _count_cores()))


def make_panel_plan(settings: Settings, processes: int | None = None) -> Plan:
    """Return the plan of `balcao panel`. Raises SettingsError if the production profile refuses the settings."""
    if refusals := settings.list_surface_refusals("panel"):
        raise SettingsError("\n".join(refusals))
    wanted = {"management": settings.management_port_of_panel is not None, "panel": True}
    roles = tuple(role for role, is_wanted in wanted.items() if is_wanted)
    return Plan(settings, (), roles, processes or (1 if settings.sandbox else _count_cores()))


def make_site_plan(settings: Settings, processes: int | None = None) -> Plan:
    """Return the plan of `balcao site`. Raises SettingsError if the production profile refuses the settings."""
    if refusals := settings.list_surface_refusals("site"):
        raise SettingsError("\n".join(refusals))
    return Plan(settings, (), ("site",), processes or (1 if settings.sandbox else _count_cores()))


def _count_cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def claiming_for_management(
    host: str, port: int, variable: str = "BALCAO_MANAGEMENT_PORT"
) -> AbstractContextManager[tuple[socket.socket, ...]]:
    """Claim a management port during the block. `variable` is the variable that sets the port.

    Raises OperatorFault if the port cannot be bound.
    """
    return claiming(host, port, "gestão", settings=("BALCAO_MANAGEMENT_HOST", f"outra em {variable}"))


@contextmanager
def claiming(
    host: str,
    port: int,
    title: str,
    number: int = 1,
    *,
    settings: tuple[str, str] = ("BALCAO_HOST", "outra porta base em BALCAO_PORT"),
) -> Iterator[tuple[socket.socket, ...]]:
    """Bind sockets for `number` processes to a port, and hold the port during the block.

    The sockets do not listen yet (`gateway.listening.accept_first`). The supervisor holds them open while a process is
    replaced, so that new connections wait for the replacement. Raises OperatorFault if the port cannot be bound.
    `settings` are for its message: the variable for the host, and how to set another port.
    """
    number = number if BALANCES_CONNECTIONS else 1
    with ExitStack() as stack:
        try:
            if number > 1:  # first bind without sharing; this fails if the port is used
                _bind(host, port, shared=False).close()
            sockets = tuple(stack.enter_context(_bind(host, port, shared=number > 1)) for _ in range(number))
            for one in sockets:
                # SO_REUSEADDR allowed the bind despite sockets in TIME_WAIT. Reset it, so that no other program can
                # bind the port too.
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        except UnicodeError as fault:
            raise OperatorFault(f"{host} não é um nome de servidor: confira {settings[0]}.") from fault
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE:
                why = f"não pode ser usada ({fault.strerror}): libere-a"
            elif _is_balcao(host, port):
                why = "já está em uso por um Balcão: use o que está no ar, encerre-o (Ctrl-C onde foi iniciado)"
            else:
                why = "já está em uso por outro programa: libere-a"
            raise OperatorFault(f"A porta {port} de {host} ({title}) {why}, ou indique {settings[1]}.") from fault
        yield sockets


def _is_balcao(host: str, port: int) -> bool:
    """Return whether the program on the port responds like Balcão."""
    asked = HTTPConnection(host, port, timeout=_LOOK_TIMEOUT)
    try:
        asked.request("HEAD", "/")
        return asked.getresponse().getheader("Server") == "balcao"
    except (OSError, HTTPException):
        return False
    finally:
        asked.close()


def _bind(host: str, port: int, *, shared: bool) -> socket.socket:
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        host.encode("idna")  # otherwise `bind` would raise a TypeError for such a host
        bound.bind((host, port))
    except (OSError, UnicodeError):
        bound.close()
        raise
    return bound


def prepare_data_folder(folder: Path) -> None:
    """Create the data folder. Raises OperatorFault if the folder cannot be created or is not writable."""
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass


def open_lock(path: Path) -> IO[bytes]:
    """Open a lock file that only its owner may open. Correct the file's mode if it was created with a wider one."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "r+b", buffering=0)


@contextmanager
def claim_data_folder(folder: Path) -> Iterator[bool]:
    """Lock the data folder. Yield whether this process holds the lock and may run the embedded parts."""
    with contextlib.ExitStack() as stack:
        with writing_to(folder):
            lock = stack.enter_context(open_lock(folder / "serve.lock"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
