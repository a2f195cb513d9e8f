"""A whole city installation on one machine: two hosts, a worker, PostgreSQL servers, and other services.

nginx runs in front of the hosts, Redis counts the calls of their callers, and an S3-compatible server stores the
files of citizens. The identity provider and the CRM are separate. Every connection that a fault can affect goes
through a simulated wire. Each part is killed, frozen, stopped and started by name.
"""

import re
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil

from balcao import app
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.settings import Settings
from tests.cluster.servers import folders
from tests.cluster.test_redis import Redis
from tests.histories.databases import Databases, Pair, make_url
from tests.support import run_folder
from tests.support.gateways import Certificate, running
from tests.support.network import Network
from tests.support.polling import PATIENCE
from tests.support.s3_server import run_s3_server
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Serving, Terminal, command_line

HOSTS = ("one", "two")
# How long nginx avoids a host that refused a connection.
TAKEN_BACK_SECONDS = 5
READ_LAG_SECONDS = 3  # the lag that is allowed for a visitor's reads
EVENT = re.compile(rb'"event": ?"([a-z_.]+)"')
WARNING = re.compile(rb'"level": ?"(warning|error|critical)"')
METRICS_TOKEN = "so-that-nobody-else-reads-them"
REPLICA_READS = re.compile(r'^balcao_replica_reads_total{outcome="replica"} (\d+)', re.MULTILINE)
CLOCKED = ("two", "worker")  # the programs whose system clock a fault changes
CLOCK = Path(__file__).with_name("clock.c")  # the library that changes the system clock of a program
COMPILER = shutil.which("cc")


class City:
    """A running city. `found` creates it. Clients and invariants connect to it with `settings`.

    If a folder `former` is given, the city starts with the program in that folder.
    """

    def __init__(self, stack: ExitStack, root: Path, former: Path | None, databases: type[Databases]) -> None:
        self._stack = stack
        self._root = root
        self.clock = root / "clock"
        self._former = former
        self.databases = databases(stack)
        self._ports = {host: free_port() for host in HOSTS}
        self._outside = free_port()  # the provider's port; the CRM uses the next one
        self._start_network()
        self._certificate = Certificate(root)
        self._front = self._certificate.frontend(free_port())
        self.redis = Redis(root)
        self.redis.start()
        stack.callback(self.redis.kill)
        self._files = stack.enter_context(run_s3_server(root / "files"))
        self.settings = self._describe()
        self._serving: dict[str, Serving] = {}
        self._heard: dict[Path, int] = {}
        self._worker: psutil.Popen | None = None
        self.worker_restarts = 0
        self._is_watched = threading.Event()
        self._watching = threading.Thread(target=self._keep_worker, daemon=True)
        stack.callback(self.stop_worker)
        self.run("migrate")
        self.start("outside")
        self.run("demo", "--load")
        for host in HOSTS:
            self.start(host)
        self.start_worker()
        self._watching.start()
        self._gateway = stack.enter_context(running("nginx", self._plan(), root, self._certificate))

    def transport(self) -> httpx.AsyncHTTPTransport:
        """Return a transport that connects clients to the gateway."""
        return httpx.AsyncHTTPTransport(verify=self._certificate.trust)

    # ---- start and stop ----------------------------------------------------------------------------------------------

    def start(self, name: str) -> None:
        """Start a host, or `outside`, which runs the identity provider and the CRM."""
        serving = Serving(self._terminal(name), *self._words(name), log=self._root / f"{name}.log")
        is_new = name not in self._serving
        self._serving[name] = serving
        serving.__enter__()
        if is_new:
            self._stack.callback(lambda: self._serving[name].__exit__())

    def stop(self, name: str) -> None:
        """Stop a host or `outside` in the way an operator does, and wait until it has ended."""
        self._serving[name].process.terminate()
        self._serving[name].process.wait(PATIENCE)

    def start_worker(self) -> None:
        """Start the worker.

        Until `stop_worker` is called, restart it whenever it ends, as a service manager would do.
        """
        self._spawn_worker()
        self._is_watched.set()

    def _keep_worker(self) -> None:
        while True:
            self._is_watched.wait()
            if self._worker is not None and self._worker.poll() is not None:
                self.worker_restarts += 1
                self._spawn_worker()
            time.sleep(0.5)

    def _spawn_worker(self) -> None:
        terminal = self._terminal("worker")
        with (self._root / "worker.log").open("ab") as log:
            self._worker = psutil.Popen(
                [str(BALCAO), "worker"],
                cwd=terminal.folder,
                env=terminal.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def stop_worker(self) -> None:
        """Stop the worker in the way an operator does, and wait until it has ended."""
        self._is_watched.clear()
        if self._worker is not None and self._worker.is_running():
            self._worker.resume()
            self._worker.terminate()
            self._worker.wait(PATIENCE)

    def run(self, *words: str) -> None:
        """Run a `balcao` command as its own process, with the settings and in the folder of `outside`."""
        terminal = self._terminal("outside")
        subprocess.run(
            [BALCAO, *words], cwd=terminal.folder, env=terminal.environment, check=True, stdout=subprocess.DEVNULL
        )

    def upgrade(self) -> None:
        """Migrate the database while the former program runs, and then upgrade each process as the manual describes."""
        self._former = None
        self.run("migrate")
        for name in ("outside", *HOSTS):
            self.stop(name)
            self.start(name)
            time.sleep(TAKEN_BACK_SECONDS)
        self.stop_worker()
        self.start_worker()

    def list_new_events(self) -> Counter[str]:
        """Count, by event, the warnings and errors that were logged since the previous call."""
        events: Counter[str] = Counter()
        for log in self._root.glob("*.log"):
            with log.open("rb") as lines:
                lines.seek(self._heard.get(log, 0))
                # Leave an incomplete last line for the next call.
                whole = [line for line in lines if line.endswith(b"\n")]
            self._heard[log] = self._heard.get(log, 0) + sum(map(len, whole))
            events.update(found[1].decode() for line in whole if WARNING.search(line) and (found := EVENT.search(line)))
        return events

    def count_replica_reads(self, host: str) -> int:
        """Return how many reads used a replica since the host started, or 0 if the host is down."""
        with suppress(httpx.HTTPError):
            headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
            shown = httpx.get(f"http://127.0.0.1:{self._ports[host]}/metrics", headers=headers, timeout=PATIENCE)
            return sum(map(int, REPLICA_READS.findall(shown.raise_for_status().text)))
        return 0

    def memory(self) -> dict[str, float]:
        """Return the memory of each part's running processes, in megabytes."""
        parts = {"host one": "one", "host two": "two", "worker": "worker", "PostgreSQL": "postgres"}
        held: dict[str, float] = {}
        for name, part in parts.items():
            with suppress(psutil.NoSuchProcess):
                held[name] = sum(map(_resident, self.processes(part))) / 1e6
        return held

    # ---- faults ------------------------------------------------------------------------------------------------------

    def kill(self, part: str) -> None:
        """Kill all processes of the part with SIGKILL. Start the part again, unless it restarts by itself."""
        if part in ("postgres", "replica"):
            self.databases.kill(part)
        elif part == "redis":
            self.redis.kill()
            self.redis.start()
        else:
            _send(signal.SIGKILL, self.processes(part))
            if part in self._serving:
                self._serving[part].process.wait()
                self.start(part)

    def freeze(self, part: str) -> list[psutil.Process]:
        """Suspend all processes of the part, and return them for `thaw`."""
        frozen = self.processes(part)
        _send(signal.SIGSTOP, frozen)
        return frozen

    def thaw(self, frozen: Iterable[psutil.Process]) -> None:
        _send(signal.SIGCONT, frozen)

    def processes(self, part: str) -> list[psutil.Process]:
        """Return the processes of a part. The part `one` is the whole first host, and `api` only its API process."""
        if part == "worker":
            return [self._worker] if self._worker else []
        if part == "redis":
            return [self.redis.process]
        if part in ("postgres", "replica"):
            return self.databases.list_processes(part)
        if part == "api":
            return [self._serving["one"].process_of("api")]
        if part == "crm":
            return [one for one in self._serving["outside"].processes() if "crm" in command_line(one)]
        serving = self._serving[part]
        return [serving.process, *serving.family()]

    # ---- creation ----------------------------------------------------------------------------------------------------

    def _start_network(self) -> None:
        # Each host has wires to each server, for writes and for replica reads. Any server may be the replica.
        users = (*HOSTS, "worker", *(f"replica-{host}" for host in HOSTS))
        servers = list(enumerate(self.databases.addresses))
        targets = {f"{user}-{number}": address for user in users for number, address in servers}
        ports = {"crm": self._outside + 1, "provider": self._outside, "gateway": self._ports["one"]}
        targets |= {name: ("127.0.0.1", port) for name, port in ports.items()}
        self.network = self._stack.enter_context(Network(targets))

    def _describe(self) -> Settings:
        servers = self.databases.addresses
        return Settings(
            data_dir=self._home("outside"),
            port=self._ports["two"],
            public_url=f"https://127.0.0.1:{self._front.https_port}",
            auth_issuer=f"{self._provider}/auth/realms/balcao",
            database_url=make_url("balcao_app", servers),
            database_owner_url=make_url("balcao", servers),
            database_read_url=make_url("balcao_app", servers),
            database_read_lag=READ_LAG_SECONDS,
            crm_url_override=f"http://127.0.0.1:{self._outside + 1}",
        )

    @property
    def _provider(self) -> str:
        return f"http://127.0.0.1:{self.network.ports['provider']}"

    def _home(self, name: str) -> Path:
        home = self._root / name
        home.mkdir(exist_ok=True)
        home.chmod(0o755)
        return home

    def _words(self, name: str) -> tuple[str, ...]:
        # With two processes, `balcao serve` runs the CRM as a separate process.
        return ("--no-worker", "--processes", "2" if name == "outside" else "1")

    def _terminal(self, name: str) -> Terminal:
        home = self._home(name)
        user = "one" if name == "one" else "worker" if name == "worker" else "two"
        servers = self.databases.addresses if name == "outside" else self._list_wires(user)
        settings: dict[str, object] = {
            "data_dir": home,
            "database_url": make_url("balcao_app", servers),
            "database_owner_url": make_url("balcao", servers),
            "registry_url": f"{self.settings.base_url}/registry/v1",
            "panel": "false",
        }
        if name == "outside":
            settings |= {"port": self._outside, "public_url": self._provider}
        else:
            settings |= {
                "port": self._ports.get(name) or free_port(),
                "public_url": self.settings.base_url,
                "auth_issuer": self.settings.issuers[0],
                "crm_url": f"http://127.0.0.1:{self.network.ports['crm']}",
                "redis_url": f"redis://127.0.0.1:{self.redis.port}",
                **self._files.settings,
                "trusted_proxies": "127.0.0.1",
            }
        if name in HOSTS:
            settings |= {
                "database_read_url": make_url("balcao_app", self._list_wires(f"replica-{name}")),
                "database_read_lag": READ_LAG_SECONDS,
                "metrics_token": METRICS_TOKEN,
            }
        terminal = Terminal(home, **settings)
        terminal.environment["SSL_CERT_FILE"] = str(self._certificate.chain)
        if self._former is not None:
            terminal.environment["PYTHONPATH"] = str(self._former)
        if name in CLOCKED and COMPILER:
            terminal.environment |= self._clock()
        return terminal

    def _list_wires(self, user: str) -> list[tuple[str, int]]:
        """Return the addresses at which the processes of this database user reach the database servers."""
        numbers = range(len(self.databases.addresses))
        return [("127.0.0.1", self.network.ports[f"{user}-{number}"]) for number in numbers]

    def _clock(self) -> dict[str, str]:
        """Return environment variables that add the seconds in the clock file to a program's system time."""
        self.clock.touch()
        return {"LD_PRELOAD": str(run_folder.make_once("clock.so", _compile_clock)), "CITY_CLOCK": str(self.clock)}

    def _plan(self) -> Plan:
        ports = (self.network.ports["gateway"], self._ports["two"])
        servers = [Server("127.0.0.1", port) for port in ports]
        return Plan(self.settings, app.SERVICES, servers, self._front)


def _compile_clock(library: Path) -> None:
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-O2", "-o", library, CLOCK, "-ldl"], check=True)


@contextmanager
def found(former: Path | None = None, databases: type[Databases] = Pair) -> Iterator[City]:
    """Create a city in new folders, and remove it afterwards."""
    with ExitStack() as stack:
        (root,) = stack.enter_context(folders(1))
        yield City(stack, root, former, databases)


def _resident(process: psutil.Process) -> int:
    """Return how many bytes of memory belong only to this process, or 0 if the process has ended."""
    try:
        return int(process.memory_full_info().uss)
    except psutil.NoSuchProcess:
        return 0


def _send(number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
