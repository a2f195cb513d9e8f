"""Histories on three database servers that Patroni operates.

`make histories CLUSTER=1` causes all faults. Here, one fault must cause no anomaly, and a planted fault must cause one.
"""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.histories.city import City, found
from tests.histories.city_faults import list_cluster_faults
from tests.histories.databases import Trio
from tests.histories.findings import describe_wrong
from tests.histories.nemesis import answered
from tests.histories.preferences import PreferencesOfCitizens
from tests.histories.recorder import Recorder
from tests.histories.rounds import Clients, Rounds
from tests.histories.trial import judge, record
from tests.support.polling import until, until_now
from tests.support.proof_sizes import report

pytestmark = [
    pytest.mark.histories,
    pytest.mark.patroni,
    pytest.mark.nginx,
    pytest.mark.redis,
    pytest.mark.s3,
    pytest.mark.proof,
]
SEED = 1
ANSWERS = 150  # responses to wait for before and after each step
CLIENTS = 6


@pytest.fixture(scope="module")
def city() -> Iterator[City]:
    with found(None, Trio) as city:
        yield city


def test_what_clients_are_told_while_the_leader_is_lost_can_be(city: City, tmp_path: Path) -> None:
    fault, some = list_cluster_faults()["leader lost"], partial(answered, more=ANSWERS)
    one = Rounds(city, tmp_path, SEED, Clients(1)).play("leader lost", fault.bring_about, some, some)
    assert one.is_possible, describe_wrong([one])


@pytest.mark.parametrize(("is_synchronous", "verdict"), [(True, "possible"), (False, "anomaly")])
def test_writes_that_a_promoted_replica_never_received_are_found(
    city: City, tmp_path: Path, is_synchronous: bool, verdict: str
) -> None:
    """The control has synchronous replication: no such write is acknowledged, and Patroni waits for the leader."""
    assert isinstance(city.databases, Trio)
    history, cluster = tmp_path / "history.jsonl", city.databases.cluster
    leader = cluster.find_leader()
    if not is_synchronous:
        cluster.allow_loss(leader)
    replicas = [node for node in cluster.nodes if node is not leader]

    async def promote_late_replica(recorder: Recorder) -> None:
        await answered(recorder, ANSWERS)
        for node in replicas:
            await asyncio.to_thread(node.kill_server)
        if is_synchronous:
            await until(lambda: recorder.outcomes[PreferencesOfCitizens.name, "unknown"] >= CLIENTS)
        else:
            await answered(recorder, ANSWERS)  # among them are writes that no replica receives
        await asyncio.to_thread(leader.kill_server)
        started = cluster.nodes if is_synchronous else replicas
        for node in started:
            node.start_patroni()
        await asyncio.to_thread(until_now, lambda: any(node.leads for node in started))
        await answered(recorder, ANSWERS)

    citizens = PreferencesOfCitizens(range(100, 106) if is_synchronous else range(106, 112))
    record(city.settings, history, [citizens], CLIENTS, SEED, promote_late_replica, city.transport())
    leader.start_patroni()
    (judged,) = judge(history)
    kind = "synchronous" if is_synchronous else "asynchronous"
    report(f"{kind} replica promoted: {judged.verdict} after {judged.after} of {judged.operations} operations")
    assert judged.verdict == verdict, judged
    lost = [one for one in judged.shortest if one.is_write and one.is_acknowledged]
    assert bool(lost) is not is_synchronous, judged
