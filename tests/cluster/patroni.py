"""Three PostgreSQL servers that Patroni operates with etcd, each on its own loopback address.

They use the configuration files that `balcao init production --cluster` writes.
"""

import asyncio
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import psutil

from balcao.operate.deploy.cluster import PASSWORDS, Cluster, generate_cluster
from balcao.operate.deploy.production import Secrets
from balcao.operate.postgresql.accounts import Account, child_options
from balcao.operate.postgresql.data_directory import locate_data
from balcao.operate.postgresql.programs import find_binaries
from tests.cluster.servers import folders
from tests.support.polling import PATIENCE, until_now

LEASE_SECONDS = 20  # `ttl` in config.yml
PASSWORD = "of-the-trial"
ROLES = ("balcao", "balcao_app", "balcao_panel", "balcao_site")


class Node:
    """One machine of the cluster: its etcd, its Patroni, and the PostgreSQL that Patroni starts."""

    def __init__(self, host: str, folder: Path, account: Account) -> None:
        self.host = host
        self.folder = folder
        self._account = account
        self._etcd: subprocess.Popen[bytes] | None = None
        self._patroni: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start every process that is not running, without waiting."""
        self.start_etcd()
        self.start_patroni()

    def start_etcd(self) -> None:
        if self._etcd is None:
            # The tests measure the cluster, and must not depend on the speed of this machine's disk.
            self._etcd = self._spawn("etcd", self._read("etcd"), "--unsafe-no-fsync", "--logger=zap")

    def start_patroni(self) -> None:
        if self._patroni is None:
            settings = self._read("patroni.env")
            self._patroni = self._spawn(os.environ["BALCAO_PATRONI"], settings, str(self.folder / "config.yml"))

    def _read(self, name: str) -> dict[str, str]:
        lines = (self.folder / name).read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    def _spawn(self, program: str, environment: dict[str, str], *words: str) -> subprocess.Popen[bytes]:
        options = child_options()
        options["env"] = options["env"] | {"PATH": f"{os.defpath}:/usr/sbin"} | environment
        with self._account.open(self.folder / f"{Path(program).name}.log") as log:
            return subprocess.Popen([program, *words], stdout=log, stderr=log, **self._account.switch, **options)

    @property
    def postgres(self) -> list[psutil.Process]:
        """The processes of PostgreSQL, with the main server process first, or an empty list if it is not running."""
        try:
            first = (self.folder / "data" / "postmaster.pid").read_text().splitlines()[0]
            # The number is negative while Patroni recovers a killed server with `postgres --single`.
            server = psutil.Process(abs(int(first)))
            return [server, *server.children()]
        except (FileNotFoundError, psutil.NoSuchProcess, IndexError):
            return []

    def kill(self) -> None:
        """Kill all processes, as a power failure of the machine would."""
        self.kill_postgres()
        self.kill_patroni()
        self.kill_etcd()
        self.kill_postgres()  # Patroni may have started it again

    def kill_server(self) -> None:
        """Kill PostgreSQL and Patroni, so that nothing starts PostgreSQL again."""
        self.kill_patroni()
        self.kill_postgres()

    def kill_patroni(self) -> None:
        _kill(self._patroni)
        self._patroni = None

    def kill_etcd(self) -> None:
        _kill(self._etcd)
        self._etcd = None

    def kill_postgres(self) -> None:
        for process in self.postgres:
            _signal(process, signal.SIGKILL)

    def delete_data(self) -> None:
        shutil.rmtree(self.folder / "data")

    def freeze(self) -> None:
        """Suspend all processes without ending them, as when the machine is paused."""
        for process in self._list_processes():
            _signal(process, signal.SIGSTOP)

    def freeze_manager(self) -> None:
        """Suspend Patroni and etcd only. PostgreSQL still accepts connections, as in a network partition."""
        for process in (self._patroni, self._etcd):
            if process is not None:
                process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        for process in self._list_processes():
            _signal(process, signal.SIGCONT)

    def _list_processes(self) -> list[psutil.Process]:
        own = [psutil.Process(each.pid) for each in (self._patroni, self._etcd) if each is not None]
        return [*own, *self.postgres]

    def ask(self, path: str) -> httpx.Response | None:
        """Return Patroni's response, or None if Patroni does not respond."""
        try:
            return httpx.get(f"http://{self.host}:8008{path}", timeout=2)
        except httpx.TransportError:
            return None

    @property
    def leads(self) -> bool:
        """Whether Patroni holds the leader's lease and PostgreSQL accepts writes."""
        answer = self.ask("/primary")
        return answer is not None and answer.is_success

    @property
    def follows_synchronously(self) -> bool:
        answer = self.ask("/synchronous")
        return answer is not None and answer.is_success


class PatroniCluster:
    """The three nodes, and SQL as the administrator on any of them."""

    def __init__(self, nodes: list[Node], secrets: Secrets) -> None:
        self.nodes = nodes
        self.secrets = secrets

    @property
    def hosts(self) -> str:
        """The servers, in the format of BALCAO_DATABASE_URL."""
        return ",".join(f"{node.host}:5432" for node in self.nodes)

    def find_leader(self) -> Node:
        """Wait until one node leads and another follows it synchronously, and return the leader."""
        leaders: list[Node] = []

        def is_complete() -> bool:
            leaders[:] = [node for node in self.nodes if node.leads]
            return len(leaders) == 1 and any(node.follows_synchronously for node in self.nodes)

        until_now(is_complete)
        return leaders[0]

    def find_synchronous_replica(self) -> Node:
        return next(node for node in self.nodes if node.follows_synchronously)

    def make_database(self) -> None:
        """Create the roles and an empty database, as roles.sql does."""
        leader = self.find_leader()
        for role in ROLES:
            self.sql(leader, f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'", database="postgres")
        self.sql(leader, "GRANT balcao_panel, balcao_site TO balcao_app", database="postgres")
        self.sql(leader, "CREATE DATABASE balcao OWNER balcao", database="postgres")

    def sql(self, node: Node, statement: str, *values: Any, database: str = "balcao") -> list[asyncpg.Record]:
        """Run one statement as the administrator."""
        password = self.secrets.superuser_password

        async def run() -> list[asyncpg.Record]:
            url = f"postgresql://postgres:{password}@{node.host}:5432/{database}"
            connection = await asyncpg.connect(url, timeout=10)
            try:
                return list(await connection.fetch(statement, *values))
            finally:
                await connection.close()

        return asyncio.run(run())

    def switch_over(self, leader: Node) -> None:
        """Hand the leadership to the synchronous replica, as `patronictl switchover` does."""
        answer = httpx.post(
            f"http://{leader.host}:8008/switchover",
            json={"leader": leader.host},
            auth=("patroni", self.secrets.patroni_password),
            timeout=PATIENCE,
        )
        assert answer.is_success, answer.text

    def allow_loss(self, leader: Node) -> None:
        """Acknowledge writes before a replica has them, and let a replica lead that lacks some of them."""
        answer = httpx.patch(
            f"http://{leader.host}:8008/config",
            json={"synchronous_mode": False, "synchronous_mode_strict": False, "maximum_lag_on_failover": 1 << 30},
            auth=("patroni", self.secrets.patroni_password),
            timeout=PATIENCE,
        )
        assert answer.is_success, answer.text
        until_now(lambda: self.sql(leader, "SHOW synchronous_standby_names", database="postgres")[0][0] == "")


@contextmanager
def patroni_cluster() -> Iterator[PatroniCluster]:
    """Yield a running cluster of three nodes that has a leader and a synchronous replica."""
    network = f"127.{random.randint(2, 250)}.{random.randint(1, 250)}"
    hosts = tuple(f"{network}.{number}" for number in (1, 2, 3))
    secrets = Secrets()
    with folders(3) as places, ExitStack() as stack:
        nodes = [_prepare(host, hosts, folder, secrets) for host, folder in zip(hosts, places, strict=True)]
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        cluster = PatroniCluster(nodes, secrets)
        cluster.find_leader()
        yield cluster


def _prepare(host: str, hosts: tuple[str, ...], folder: Path, secrets: Secrets) -> Node:
    """Write the node's files into its folder."""
    _, account = locate_data(folder)
    cluster = Cluster(
        hosts=hosts,
        database_name="balcao",
        secrets=secrets,
        data_directory=str(folder / "data"),
        programs=str(_find_programs(account)),
        socket_directory=str(folder),
        pgpass=str(folder / "passwords"),
        etcd_directory=str(folder / "etcd-data"),
    )
    account.own(folder)
    for name, file in generate_cluster(cluster).items():
        if name.startswith(f"cluster/{host}/") or name == PASSWORDS:
            place = folder / Path(name).name
            place.write_bytes(file.content)
            account.own(place)
    return Node(host, folder, account)


def _find_programs(account: Account) -> Path:
    """Return Debian's PostgreSQL programs if root runs the tests, otherwise the programs that the platform uses."""
    if os.geteuid() == 0:
        return sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    return find_binaries(Path("/nonexistent"), account)


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        process.kill()
        process.wait()


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)
