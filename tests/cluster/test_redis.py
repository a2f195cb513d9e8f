"""Two hosts share a database and a real Redis or Valkey server that freezes, dies and comes back."""

import itertools
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from balcao import app
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import FULL
from tests.support.server import RunningServer, free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.redis
MISSING = (
    "Este teste precisa de um Redis ou Valkey: ponha o caminho dele em BALCAO_REDIS (`tools/redis` o mostra), "
    'ou deixe-o de fora com -m "not redis".'
)
AWAY = "balcao_limits_away_total"


class Redis:
    """A Redis server on the loopback address that stores nothing on disk. Use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder

    def start(self) -> None:
        path = os.environ.get("BALCAO_REDIS")
        if not path:
            pytest.fail(MISSING, pytrace=False)
        command = [path, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self._folder)]
        self.process = psutil.Popen(command, stdout=subprocess.DEVNULL)
        until_now(self._listens)

    def _listens(self) -> bool:
        return any(found.status == psutil.CONN_LISTEN for found in self.process.net_connections())

    def kill(self) -> None:
        if self.process.is_running():
            self.process.kill()
        self.process.wait()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    server = Redis(tmp_path)
    server.start()
    yield server
    server.kill()


@contextmanager
def host(database_url: str, settings: dict[str, object]) -> Iterator[httpx.Client]:
    """Run a host with its own in-memory counts.

    It is `balcao serve` in a proof, and otherwise a platform in this process.
    """
    with ExitStack() as stack:
        if FULL:
            terminal = Terminal(Path(str(settings["data_dir"])), database_url=database_url, **settings)
            stack.enter_context(Serving(terminal, "--no-worker", "--processes", "2"))
        else:
            own = Settings.model_validate(settings)
            stack.enter_context(RunningServer(app.build_application(own, database_url), own.port))
        yield stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{settings['port']}", timeout=PATIENCE))


@pytest.fixture
def hosts(
    redis: Redis, issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[httpx.Client]]:
    """Yield clients of two hosts, each with its own data folder."""
    common: dict[str, object] = {
        "auth_issuer": issuer.address,
        "access_list_limit": "20/hour",
        "redis_url": f"redis://127.0.0.1:{redis.port}",
    }
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                host(database_url, common | {"data_dir": tmp_path_factory.mktemp(name), "port": free_port()})
            )
            for name in ("one", "two")
        ]


def call(host: httpx.Client, issuer: Issuer, cpf: str) -> int:
    path = f"/registry/v1/citizen/{cpf}/data-access"
    return host.get(path, headers=bearer(issuer.person(cpf))).status_code


def count_together(hosts: list[httpx.Client], issuer: Issuer, people: Iterator[str]) -> bool:
    """Return whether a person who exhausts a rate limit on one host is then refused by the other host."""
    one, other = hosts
    person = next(people)
    while call(one, issuer, person) == 200:
        pass
    return call(other, issuer, person) == 429


def times_away(host: httpx.Client) -> float:
    found = re.search(rf"^{AWAY} (\S+)$", host.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.mark.long
def test_hosts_count_together_while_redis_lives_and_refuse_nobody_for_its_death(
    redis: Redis, hosts: list[httpx.Client], issuer: Issuer
) -> None:
    people = (Cpf.with_stem(f"94{number:07}").digits for number in itertools.count())
    until_now(lambda: count_together(hosts, issuer, people))
    # A suspended Redis behaves like a machine with a hanging disk. Calls wait briefly, then each host counts locally.
    redis.process.suspend()
    assert not count_together(hosts, issuer, people)
    redis.process.resume()
    redis.kill()
    assert not count_together(hosts, issuer, people)
    for host in hosts:
        assert host.get("/registry/v1/health").json()["status"] is False
        # The host refuses an invalid token even without Redis.
        assert host.get("/agent/api/v1/auth", headers=bearer("none")).status_code == 401
    # After a failure, a host does not contact Redis for a second. The next failure increments the metric.
    until_now(lambda: not count_together(hosts, issuer, people) and times_away(hosts[0]) >= 2)
    redis.start()
    until_now(lambda: count_together(hosts, issuer, people))
