"""A cluster operated by Patroni loses its leader in several ways while callers write and read."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from tests.cluster.patroni import PASSWORD, Node, PatroniCluster, patroni_cluster
from tests.cluster.patroni_faults import FAULTS, ClusterFault
from tests.cluster.sending import APPLIED, WAITING, Sender, send_event
from tests.cluster.servers import folders
from tests.support.login import client_token
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = [pytest.mark.patroni, pytest.mark.long]

SENDERS = 4
CALLS = 100  # acknowledged writes to wait for before a fault, and after the cluster has recovered
SEARCH = "/search/api/v1/search?q=iptu"
STEMS = itertools.count(940_000_000)
SMALL = "leader lost"  # the fault of ordinary runs
# Each accepted event leaves one row. If an event is applied twice, it leaves two audit events.
DOUBLED = """
SELECT count(*) - count(DISTINCT subject) FROM platform.audit_event WHERE operation = 'registry.apply_crm_event'
"""


class Reader:
    """Callers of the public search that count its responses."""

    def __init__(self) -> None:
        self.served = 0
        self.refused: list[str] = []

    async def run(self, http: httpx.AsyncClient, ending: asyncio.Event) -> None:
        while not ending.is_set():
            answer = await http.get(SEARCH)
            if answer.is_success:
                self.served += 1
            else:
                self.refused.append(f"{answer.status_code} {answer.headers.get('Error-Code')}")
            await asyncio.sleep(0.01)

    @property
    def share(self) -> float:
        return self.served / (self.served + len(self.refused))


@dataclass
class Outcome:
    """The calls that were made during one fault, and their responses."""

    writes: Sender
    reads: Reader


@dataclass
class City:
    """The cluster, and the settings of a platform that uses it."""

    cluster: PatroniCluster
    settings: Settings

    def fetch_token(self) -> str:
        """Return a new token of the CRM, because a run with all faults outlasts one."""
        secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
        return client_token(self.settings.issuers[0], "crm-sandbox", secret)

    def suffer(self, fault: ClusterFault) -> Outcome:
        """Cause the fault under load, wait until the cluster has a leader again, and mend the fault."""
        return asyncio.run(self._suffer(fault))

    async def _suffer(self, fault: ClusterFault) -> Outcome:
        leader = await asyncio.to_thread(self.cluster.find_leader)
        token = await asyncio.to_thread(self.fetch_token)
        writes, reads, ending = Sender(token, send_event), Reader(), asyncio.Event()
        persons = (Cpf.with_stem(str(stem)).digits for stem in STEMS)
        async with (
            httpx.AsyncClient(base_url=self.settings.base_url, timeout=PATIENCE) as http,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(SENDERS):
                group.create_task(writes.run(http, persons, ending))
                group.create_task(reads.run(http, ending))
            await writes.until_acknowledged(CALLS)
            await asyncio.to_thread(fault.cause, self.cluster, leader)
            await asyncio.to_thread(self.cluster.find_leader)
            await writes.until_acknowledged(CALLS)
            await asyncio.to_thread(fault.mend, self.cluster, leader)
            await asyncio.to_thread(self.cluster.find_leader)
            await writes.until_acknowledged(CALLS)
            ending.set()
        return Outcome(writes, reads)


@pytest.fixture(scope="module")
def city() -> Iterator[City]:
    with patroni_cluster() as cluster, folders(1) as (folder,):
        cluster.make_database()
        with Serving(terminal := make_terminal(cluster, folder), "--processes", "2"):
            yield City(cluster, Settings(data_dir=folder, port=int(terminal.environment["BALCAO_PORT"])))


def make_terminal(cluster: PatroniCluster, folder: Path) -> Terminal:
    """Return a terminal whose platform uses the cluster's servers. Their tables and demo data are already loaded."""
    made = Terminal(
        folder,
        port=free_port(),
        data_dir=folder,
        crm_push=False,
        database_url=f"postgresql://balcao_app:{PASSWORD}@{cluster.hosts}/balcao",
        database_owner_url=f"postgresql://balcao:{PASSWORD}@{cluster.hosts}/balcao",
    )
    for words in (["migrate"], ["demo", "--load"]):
        done = made.run(*words)
        assert done.returncode == 0, done.stderr
    return made


def judge(city: City, name: str, outcome: Outcome) -> None:
    """Compare the acknowledged calls with the stored rows, and print a row of the proof's table."""
    cluster = city.cluster
    leader = cluster.find_leader()
    until_now(lambda: not cluster.sql(leader, WAITING)[0][0])
    applied = {row["cpf"] for row in cluster.sql(leader, APPLIED)}
    lost = set(outcome.writes.acknowledged) - applied
    doubled = cluster.sql(leader, DOUBLED)[0][0]
    print(
        f"| {name} | {len(outcome.writes.acknowledged)} | {len(lost)} | {doubled} | {outcome.writes.seconds_away:.1f} |"
        f" {outcome.reads.share:.2%} | {dict(outcome.writes.refused)} {outcome.reads.refused[:3]}"
    )
    assert lost == set()
    assert doubled == 0
    assert {*outcome.writes.refused} <= {"503 store-away"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == SMALL else pytest.mark.proof) for name in FAULTS]
)
def test_no_acknowledged_write_is_lost(city: City, name: str) -> None:
    judge(city, name, city.suffer(FAULTS[name]))


@pytest.mark.proof
def test_the_backups_slot_survives_a_failover(city: City) -> None:
    cluster = city.cluster
    judge(city, f"{SMALL}, again", city.suffer(FAULTS[SMALL]))
    leader = cluster.find_leader()
    until_now(lambda: has_slot(cluster, leader))
    cluster.sql(leader, "SELECT pg_drop_replication_slot('balcao_backup')", database="postgres")
    until_now(lambda: has_slot(cluster, leader))


def has_slot(cluster: PatroniCluster, node: Node) -> bool:
    found = cluster.sql(node, "SELECT FROM pg_replication_slots WHERE slot_name = 'balcao_backup'", database="postgres")
    return bool(found)
