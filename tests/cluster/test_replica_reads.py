"""Reads from a real replica that is paused, killed, restarted and promoted while visitors make calls.

No visitor gets an error. Staff immediately read what they wrote, and visitors see no data older than the allowed lag.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.cluster.postgres import Postgres
from tests.cluster.servers import cluster, folders
from tests.search.staff import Staff
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer, free_port
from tests.support.terminal import Terminal

pytestmark = pytest.mark.cluster

LAG = 3  # the allowed lag of a visitor's read, in seconds
WRITES = 40  # number of writes by staff in each state of the replica
HOLIDAY = "/health-units/feriados/2031-07-09"
READS = "balcao_replica_reads_total"


class Visitors:
    """A citizen without special rights, who reads the holiday's name that staff write."""

    def __init__(self, http: httpx.Client, issuer: Issuer) -> None:
        self._http = http
        self._citizen = bearer(issuer.person("90000000175"))
        self._staff = bearer(issuer.admin())
        self._number = 0
        self.written_at: dict[str, float] = {}
        self.oldest = 0.0
        self.statuses: Counter[int] = Counter()

    def write(self) -> None:
        """Write the next name as staff, read it with the same token, and read it as a visitor."""
        self._number += 1
        name = f"Feriado {self._number}"
        assert self.put(name)
        self.written_at[name] = time.monotonic()
        assert self._http.get(HOLIDAY, headers=self._staff).json()["nome"] == name
        self.look()

    def put(self, name: str) -> bool:
        """Write a name as staff, and return whether the write succeeded."""
        body = {"nome": name, "ambito": "municipal", "facultativo": False, "fecha": True}
        return self._http.put(HOLIDAY, json=body, headers=self._staff).is_success

    def look(self) -> str:
        """Read the name as a visitor, and return it. If it is outdated, record for how long."""
        began = time.monotonic()
        answer = self._http.get(HOLIDAY, headers=self._citizen)
        self.statuses[answer.status_code] += 1
        seen: str = answer.json()["nome"]
        following = f"Feriado {int(seen.removeprefix('Feriado ')) + 1}"
        if (written := self.written_at.get(following)) is not None:
            self.oldest = max(self.oldest, began - written)
        return seen

    @property
    def last(self) -> str:
        return f"Feriado {self._number}"

    def outcomes(self) -> Counter[str]:
        """Return how often reads had each outcome so far."""
        lines = [line for line in self._http.get("/metrics").text.splitlines() if line.startswith(READS)]
        return Counter({line.split('"')[1]: int(float(line.split()[-1])) for line in lines})

    def until_read_from_replica(self) -> None:
        before = self.outcomes()["replica"]
        until_now(lambda: bool(self.look()) and self.outcomes()["replica"] > before)


@contextmanager
def serving(primary: Postgres, replica: Postgres, issuer: Issuer) -> Iterator[tuple[httpx.Client, Terminal]]:
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
    with folders(1) as (folder,):
        named: dict[str, Any] = {
            "data_dir": Path(folder),
            "port": free_port(),
            "auth_issuer": issuer.address,
            "database_url": f"postgresql://balcao_app@{hosts}/balcao",
            "database_owner_url": f"postgresql://balcao@{hosts}/balcao",
            "database_read_url": f"postgresql://balcao_app@{hosts}/balcao",
            "database_read_lag": LAG,
        }
        settings = Settings(**named)
        with (
            RunningServer(app.build_application(settings, settings.database_url), settings.port) as server,
            httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
        ):
            yield http, Terminal(folder, **named)


def diagnose(terminal: Terminal, server: Postgres) -> tuple[str, list[str]]:
    """Return the replica's state according to `doctor`, and the problems reported for it."""
    part = json.loads(terminal.run("doctor", "--json").stdout)["parts"]["replicas"]
    name = f"127.0.0.1:{server.port}"
    return part["details"]["servers"][name], [sentence for sentence in part["wrong"] if name in sentence]


def test_nobody_notices_what_becomes_of_the_replica(issuer: Issuer) -> None:
    with cluster(synchronous=False) as (primary, replica), serving(primary, replica, issuer) as (http, terminal):
        visitors, word = Visitors(http, issuer), "jatobá"
        staff = Staff(http, issuer)
        visitors.write()
        visitors.until_read_from_replica()
        assert diagnose(terminal, replica)[0] == "up"
        assert diagnose(terminal, primary)[0] == "replica-promoted"

        for _ in range(WRITES):
            visitors.write()
            made = staff.publish(nome_servico=f"Poda de {word}")
            assert http.get(f"/search/api/v1/services/{made['slug']}").is_success  # the replica may lag
        followed = visitors.outcomes()

        replica.sql("SELECT pg_wal_replay_pause()")
        for _ in range(WRITES):
            visitors.write()
        until_now(lambda: visitors.look() == visitors.last)
        behind = visitors.outcomes() - followed
        assert behind["behind"] > 0
        state, sentences = diagnose(terminal, replica)
        assert state == "replica-behind"
        assert len(sentences) == 1
        replica.sql("SELECT pg_wal_replay_resume()")
        visitors.until_read_from_replica()

        replica.kill()
        for _ in range(WRITES):
            visitors.write()
        state, sentences = diagnose(terminal, replica)
        assert state == "store-away"
        assert len(sentences) == 1
        replica.start()
        visitors.until_read_from_replica()

        primary.kill()
        replica.sql("SELECT pg_promote()", database="postgres")
        until_now(lambda: visitors.put(visitors.last))
        for _ in range(WRITES):
            visitors.write()
        until_now(lambda: diagnose(terminal, replica)[0] == "replica-promoted")
        print(f"visitors: {dict(visitors.statuses)}, {visitors.oldest:.2f} s behind at most")
        print(f"their reads: {dict(visitors.outcomes())}")
        assert set(visitors.statuses) == {200}
        assert visitors.oldest <= LAG
