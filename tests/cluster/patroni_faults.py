"""The faults that a cluster of three servers suffers, and what an operator does about each of them."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tests.cluster.patroni import LEASE_SECONDS, Node, PatroniCluster

Act: TypeAlias = Callable[[PatroniCluster, Node], None]


def _nothing(_: PatroniCluster, __: Node) -> None:
    """Do nothing, because the cluster recovers from the fault without help."""


@dataclass(frozen=True)
class ClusterFault:
    """Both functions get the node that led before the fault. `mend` runs after the cluster has a leader again."""

    cause: Act
    mend: Act = _nothing


def _kill_majority_of_etcd(cluster: PatroniCluster, leader: Node) -> None:
    """Kill two of three etcd for longer than a leader's lease."""
    for node in cluster.nodes:
        if node is not leader:
            node.kill_etcd()
    time.sleep(1.5 * LEASE_SECONDS)


def _start_all(cluster: PatroniCluster, _: Node) -> None:
    for node in cluster.nodes:
        node.start()


def _switch_over(cluster: PatroniCluster, leader: Node) -> None:
    cluster.switch_over(leader)


def _lose_data_of_replica(cluster: PatroniCluster, _: Node) -> None:
    replica = cluster.find_synchronous_replica()
    replica.kill()
    replica.delete_data()
    replica.start()


FAULTS: Mapping[str, ClusterFault] = {
    "leader lost": ClusterFault(lambda _, leader: leader.kill(), lambda _, leader: leader.start()),
    "leader's PostgreSQL killed": ClusterFault(lambda _, leader: leader.kill_postgres()),
    "leader frozen and resumed": ClusterFault(lambda _, leader: leader.freeze(), lambda _, leader: leader.resume()),
    # The leader still accepts connections while the other nodes promote one of themselves.
    "leader partitioned": ClusterFault(lambda _, leader: leader.freeze_manager(), lambda _, leader: leader.resume()),
    "etcd quorum lost": ClusterFault(_kill_majority_of_etcd, _start_all),
    "switchover": ClusterFault(_switch_over),
    "failback": ClusterFault(_switch_over),
    "replica's data lost": ClusterFault(_lose_data_of_replica),
}
