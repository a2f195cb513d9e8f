"""A cluster operated by Patroni loses its leader in several ways while callers write and read."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from tests.cluster.patroni import Node, PatroniCluster, patroni_cluster
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
PASSWORD = "of-the-trial"
ROLES = ("balcao", "balcao_app", "balcao_panel", "balcao_site")
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
    """The cluster, and the address of a platform that uses it."""

    cluster: PatroniCluster
    base_url: str
    token: str

    def suffer(self, fault: Callable[[Node], None], mend: Callable[[Node], None]) -> Outcome:
        """Cause the fault under load, wait until writes are acknowledged again, and mend the fault."""
        return asyncio.run(self._suffer(fault, mend))

    async def _suffer(self, fault: Callable[[Node], None], mend: Callable[[Node], None]) -> Outcome:
        leader = await asyncio.to_thread(self.cluster.find_leader)
        writes, reads, ending = Sender(self.token, send_event), Reader(), asyncio.Event()
        persons = (Cpf.with_stem(str(stem)).digits for stem in STEMS)
        async with httpx.AsyncClient(base_url=self.base_url, timeout=PATIENCE) as http, asyncio.TaskGroup() as group:
            for _ in range(SENDERS):
                group.create_task(writes.run(http, persons, ending))
                group.create_task(reads.run(http, ending))
            await writes.until_acknowledged(CALLS)
            await asyncio.to_thread(fault, leader)
            await writes.until_acknowledged(CALLS)
            await asyncio.to_thread(mend, leader)
            await asyncio.to_thread(self.cluster.find_leader)
            await writes.until_acknowledged(CALLS)
            ending.set()
        return Outcome(writes, reads)


@pytest.fixture(scope="module")
def city() -> Iterator[City]:
    with patroni_cluster() as cluster, folders(1) as (folder,):
        leader = cluster.find_leader()
        prepare(cluster, leader)
        with Serving(terminal := make_terminal(cluster, folder), "--processes", "2"):
            settings = Settings(data_dir=folder, port=int(terminal.environment["BALCAO_PORT"]))
            secret = next(client.secret for client in clients() if client.client_id == "crm-sandbox")
            yield City(cluster, settings.base_url, client_token(settings.issuers[0], "crm-sandbox", secret))


def prepare(cluster: PatroniCluster, leader: Node) -> None:
    for role in ROLES:
        cluster.sql(leader, f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'", database="postgres")
    cluster.sql(leader, "GRANT balcao_panel, balcao_site TO balcao_app", database="postgres")
    cluster.sql(leader, "CREATE DATABASE balcao OWNER balcao", database="postgres")


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


def nothing(_: Node) -> None:
    """Do nothing, because the cluster recovers from the fault without help."""


def test_the_leaders_machine_is_lost(city: City) -> None:
    judge(city, "the leader's machine is lost", city.suffer(Node.kill, Node.start))


@pytest.mark.proof
def test_the_leaders_postgresql_is_killed(city: City) -> None:
    judge(city, "the leader's PostgreSQL is killed", city.suffer(Node.kill_postgres, nothing))


@pytest.mark.proof
def test_a_frozen_leader_resumes(city: City) -> None:
    judge(city, "the leader freezes and resumes", city.suffer(Node.freeze, Node.resume))


@pytest.mark.proof
def test_a_leader_without_its_manager_accepts_no_write_that_is_lost(city: City) -> None:
    """As in a partition, the leader still accepts connections while the other nodes promote one of themselves."""
    judge(city, "the leader is cut off from its peers", city.suffer(Node.freeze_manager, Node.resume))


@pytest.mark.proof
def test_etcd_loses_its_quorum(city: City) -> None:
    def kill_two(leader: Node) -> None:
        for node in city.cluster.nodes:
            if node is not leader:
                node.kill_etcd()

    def start_all(_: Node) -> None:
        for node in city.cluster.nodes:
            node.start()

    judge(city, "etcd loses its quorum", city.suffer(kill_two, start_all))


@pytest.mark.proof
def test_leadership_is_handed_over_and_back(city: City) -> None:
    def switch(leader: Node) -> None:
        city.cluster.switch_over(leader)

    judge(city, "switchover", city.suffer(switch, nothing))
    judge(city, "failback", city.suffer(switch, nothing))


@pytest.mark.proof
def test_a_replica_is_lost_and_copied_again(city: City) -> None:
    def lose_data(leader: Node) -> None:
        replica = next(node for node in city.cluster.nodes if node is not leader and node.follows_synchronously)
        replica.kill()
        replica.delete_data()
        replica.start()

    judge(city, "the synchronous replica loses its data", city.suffer(lose_data, nothing))


@pytest.mark.proof
def test_the_backups_slot_survives_a_failover(city: City) -> None:
    cluster = city.cluster
    judge(city, "the leader's machine is lost, again", city.suffer(Node.kill, Node.start))
    leader = cluster.find_leader()
    until_now(lambda: has_slot(cluster, leader))
    cluster.sql(leader, "SELECT pg_drop_replication_slot('balcao_backup')", database="postgres")
    until_now(lambda: has_slot(cluster, leader))


def has_slot(cluster: PatroniCluster, node: Node) -> bool:
    found = cluster.sql(node, "SELECT FROM pg_replication_slots WHERE slot_name = 'balcao_backup'", database="postgres")
    return bool(found)
