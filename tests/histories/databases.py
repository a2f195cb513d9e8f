"""The PostgreSQL servers of a city, and the faults that tests cause in them.

The servers are a primary and a replica that the test manages, or three servers that Patroni manages.
"""

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import TypeAlias

import asyncpg
import psutil

from tests.cluster.patroni import PASSWORD, Node, patroni_cluster
from tests.cluster.patroni_faults import FAULTS
from tests.cluster.postgres import COPY, Postgres
from tests.cluster.servers import SYNCHRONOUS, folders, make_database
from tests.support.polling import until_now
from tests.support.small_disks import Ballast, disk

DISK_MEGABYTES = 2_500  # the size of each database server's disk, if it can be mounted
NOTICED_SECONDS = 4  # the shortest time in which a cluster manager fails over
FULL_SECONDS = 6.0


def make_url(login: str, addresses: Sequence[tuple[str, int]]) -> str:
    """Return the URL of the city's database at these addresses."""
    places = ",".join(f"{host}:{port}" for host, port in addresses)
    return f"postgresql://{login}:{PASSWORD}@{places}/balcao"


class Pair:
    """A primary (`postgres`) and its synchronous replica (`replica`), which the tests promote.

    If root runs the tests, each has a small disk.
    """

    faults = ("full disk", "failover")

    def __init__(self, stack: ExitStack) -> None:
        homes = stack.enter_context(folders(2))
        if os.geteuid() == 0:
            for home in homes:
                stack.enter_context(disk(home, DISK_MEGABYTES))
        self.primary = stack.enter_context(Postgres.create(homes[0]))
        make_database(self.primary)
        self.standby = stack.enter_context(self.primary.copy(homes[1]))
        _follow(self.primary)
        self.addresses = [("127.0.0.1", server.port) for server in (self.primary, self.standby)]

    def cause(self, fault: str) -> None:
        """Cause one of the `faults`. Return when it is mended."""
        (self.fill_disk if fault == "full disk" else self.fail_over)()

    def kill(self, part: str) -> None:
        """Kill all processes of the part with SIGKILL, and start it again."""
        server = self._find(part)
        server.kill()
        server.start()

    def list_processes(self, part: str) -> list[psutil.Process]:
        return self._find(part).processes()

    def _find(self, part: str) -> Postgres:
        return self.primary if part == "postgres" else self.standby

    def fill_disk(self) -> None:
        """Fill the primary's disk until the primary stops for lack of space. Then free the disk and start it."""
        ballast, until = Ballast(self.primary.folder), time.monotonic() + FULL_SECONDS
        while time.monotonic() < until:
            ballast.fill()
            self._ask_for_room()
            time.sleep(0.2)
        ballast.drop()
        until_now(lambda: self.primary.has_ended or self.primary.answers)
        if self.primary.has_ended:
            self.primary.start()

    def _ask_for_room(self) -> None:
        """Switch to a new WAL segment.

        PostgreSQL recycles old segments, so on a full disk only a later switch fails.
        """
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self.primary.sql("SELECT pg_logical_emit_message(false, 'full', ''), pg_switch_wal()", database="postgres")

    def fail_over(self) -> None:
        """Kill the primary, promote the replica after the usual delay, and create a replica of the new primary."""
        self.primary.kill()
        time.sleep(NOTICED_SECONDS)
        self.standby.sql("SELECT pg_promote()", database="postgres")
        self.primary, self.standby = self.standby, self.primary
        # The copied configuration makes commits wait for a replica, but the new primary has none yet.
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        self.primary.sql("SELECT pg_reload_conf()")
        self.standby.copy_from(self.primary)
        self.standby.start()
        _follow(self.primary)


class Trio:
    """Three servers that Patroni operates. The part `postgres` is the leader, and `replica` a synchronous replica."""

    faults = tuple(FAULTS)

    def __init__(self, stack: ExitStack) -> None:
        self.cluster = stack.enter_context(patroni_cluster())
        self.cluster.make_database()
        self.addresses = [(node.host, 5432) for node in self.cluster.nodes]

    def cause(self, fault: str) -> None:
        """Cause one of the `faults`. Return when the cluster has a leader and a synchronous replica again."""
        leader = self.cluster.find_leader()
        FAULTS[fault].cause(self.cluster, leader)
        self.cluster.find_leader()
        FAULTS[fault].mend(self.cluster, leader)
        self.cluster.find_leader()

    def kill(self, part: str) -> None:
        """Kill all processes of the part with SIGKILL. Patroni starts it again."""
        self._find(part).kill_postgres()
        self.cluster.find_leader()

    def list_processes(self, part: str) -> list[psutil.Process]:
        return self._find(part).postgres

    def _find(self, part: str) -> Node:
        leader = self.cluster.find_leader()
        return leader if part == "postgres" else self.cluster.find_synchronous_replica()


Databases: TypeAlias = Pair | Trio


def _follow(primary: Postgres) -> None:
    """Make commits wait for the replica as soon as it is connected."""
    primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{COPY}'")
    primary.sql("SELECT pg_reload_conf()")
    until_now(lambda: bool(primary.sql(SYNCHRONOUS)))
