"""Plays each fault on a whole city: `python -m tests.histories.table` writes the page.

Clients use every resource. A run of all faults replaces the page. If a run ends early or has only some faults, its
results are next to its histories. The exit status is 1 if a response is impossible or could not be judged.
"""

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.histories.city import found
from tests.histories.city_faults import Fault, list_cluster_faults, list_faults
from tests.histories.databases import Databases, Pair, Trio
from tests.histories.ending import INTERRUPTED, interruptible, replace
from tests.histories.findings import describe_wrong
from tests.histories.nemesis import answered
from tests.histories.rounds import Clients, Round, Rounds
from tests.histories.trial import RESOURCES, all_resources
from tests.support import run_folder

EVENTS = 3  # number of events listed in each table row
PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
HEAD = """\
# Proofs: histories, each resource under each fault

After reading this page you know how every resource of a whole city's installation behaved under every fault. Index and
machine: [proofs](../proofs.md). What a history is and how it is judged: [histories](histories.md). `make histories`
causes the faults and writes this page.
"""
INSTALLATION = """\
- **Installation** (`tests/histories/city.py`): two hosts behind nginx, a worker, Redis, an S3-compatible server,
  CRM, identity provider, and two PostgreSQL servers. The second server is a synchronous replica that serves visitors
- **Network** (`tests/support/network.py`): connections that a fault affects go through our own proxy. It cuts them
  (closes open connections, refuses new ones), holds them (delivers nothing until the fault ends), delays each segment
  by 0.15 s, or loses 15 of 100 segments, which are sent again after 0.2 s, 0.4 s, … as TCP does. The kernel's tool for
  delay and loss (`netem`) was not available on the machine
- **Clocks**: a preloaded library (`tests/histories/clock.c`) sets the clocks of a host and of the worker two hours
  ahead or back, so that tokens are too old or not valid yet. **Full disk**: the primary's disk, a small one in memory,
  is filled to its last byte, and the server writes log until it stops; it is started again when there is space.
  **Failover**: the primary is killed, its replica is promoted after 4 s, the time in which a cluster manager notices
  the failure, and a new replica is created
- A freeze, a disturbed network and a wrong clock last 4.5 s, a full disk 6 s.
"""
CLUSTER_HEAD = """\
# Proofs: histories on a cluster of three database servers

After reading this page you know how every resource behaved while a PostgreSQL of three servers lost its leader, its
quorum or its network. Index and machine: [proofs](../proofs.md). What a history is and how it is judged:
[histories](histories.md). `make histories CLUSTER=1` causes the faults and writes this page.
"""
CLUSTER = """\
- **Installation** (`tests/histories/city.py`): two hosts behind nginx, a worker, Redis, an S3-compatible server,
  CRM, identity provider, and three PostgreSQL servers that Patroni and etcd operate with the files of
  [the manual](../operate/cluster-setup.md). Every replica serves visitors. The faults of other parts have
  [their own page](histories-faults.md)
- **Faults** (`tests/cluster/patroni_faults.py`): each begins when there is a leader with a synchronous
  replica. It is mended when another server leads, and ends when the cluster is complete again. Without its quorum, etcd
  is down for longer than the lease of 20 s
- **Planted fault** (`BALCAO_PROVE=1 tools/test tests/histories/test_cluster.py`): the cluster acknowledges before a
  replica has received the write, both replicas are killed, then the leader, and an old replica is promoted. The checker
  must find a lost write of `preferences`: it found one after 97 of 894 operations. The control has synchronous
  replication and the same kills, and the leader returns: all 559 operations were possible (2026-11-29, load 9 to 16;
  53 s and 26 s). CI loses the leader only, with one client of each resource. This needs 93 s of CPU time, and took 124
  to 276 s on two cores with a load of 8 to 16
"""
UNFINISHED = """\
**This run did not finish: {unplayed} of {faults} faults were not played completely.**
"""
SETTING = """\
- {answers} calls get a response before each fault and after it
- **Last run**: {day}, load {load}; {clients} clients of each resource, {together} in total; seed {seed}

Each cell has the number of operations and the number of unknown outcomes. The column *refused* counts rejected calls,
which had no effect. If a row has no unknown outcome and no rejected call, no caller noticed the fault: another host
responded, jobs waited, or the platform worked without Redis. The column *logged*
has the most frequent warnings and errors that the programs logged after the fault
([what they mean](../reference/log-events.md)).
"""


class Table(NamedTuple):
    """A page about one kind of installation."""

    page: str
    head: str
    installation: str
    databases: type[Databases]


TABLE = Table("histories-faults.md", HEAD, INSTALLATION, Pair)
CLUSTER_TABLE = Table("histories-cluster.md", CLUSTER_HEAD, CLUSTER, Trio)


def main(words: Sequence[str] | None = None) -> int:
    """Play all faults, or only the named ones, write the page, and return the exit status."""
    arguments = argparse.ArgumentParser(prog="python -m tests.histories.table")
    arguments.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments.add_argument("--clients", type=int, default=4, help="clients of each resource")
    arguments.add_argument("--answers", type=int, default=600, help="responses to wait for before and after each fault")
    arguments.add_argument("--page", type=Path, help="the page that a complete run replaces")
    arguments.add_argument("--cluster", action="store_true", help="three database servers that Patroni operates")
    arguments.add_argument("faults", nargs="*")
    said = arguments.parse_args(words)
    table, every = (CLUSTER_TABLE, list_cluster_faults()) if said.cluster else (TABLE, list_faults())
    page = said.page or PROOFS / table.page
    if unknown := set(said.faults) - set(every):
        arguments.error(f"no such fault: {', '.join(sorted(unknown))}")
    faults = {name: fault for name, fault in every.items() if not said.faults or name in said.faults}
    # The histories are not deleted after the run.
    run_folder.make()
    histories, clients = Path(tempfile.mkdtemp(prefix="balcao-histories-")), Clients(said.clients)
    print(f"seed {said.seed}; histories in {histories}", flush=True)
    played, draft, is_interrupted = dict[str, Round](), histories / page.name, False
    describe_played = partial(describe, every, played, clients, said.answers, said.seed, table)
    try:
        with (
            interruptible(),
            closing(play(faults, histories, said.seed, clients, said.answers, table.databases)) as rounds,
        ):
            for one in rounds:
                played[one.fault] = one
                draft.write_text(describe_played(), "utf-8")
                print(one.fault, one.verdict, flush=True)
    except KeyboardInterrupt:
        is_interrupted = True
    if list_unplayed(every, played):
        print(f"not every fault was completed, so {page} is unchanged; the results are in {histories}")
    else:
        replace(page, describe_played())
    print(describe_wrong(played.values()))
    if is_interrupted:
        return INTERRUPTED
    return int(bool(list_unplayed(faults, played)) or any(not one.is_possible for one in played.values()))


def play(
    faults: Mapping[str, Fault],
    histories: Path,
    seed: int,
    clients: Clients,
    answers: int,
    databases: type[Databases] = Pair,
) -> Generator[Round, None, None]:
    """Play each fault that this machine can cause, on one city.

    Stop if too many rounds in a row fail.
    """
    with found(None, databases) as city:
        rounds, some = Rounds(city, histories, seed, clients), partial(answered, more=answers)
        for name, fault in faults.items():
            if not fault.hindrance and not rounds.are_over:
                yield rounds.play(name, fault.bring_about, some, some)


def list_unplayed(faults: Mapping[str, Fault], played: Mapping[str, Round]) -> list[str]:
    """Return the faults that this machine can cause but that were not played in a complete round."""
    judged = {name for name, one in played.items() if not one.failure}
    return [name for name, fault in faults.items() if not fault.hindrance and name not in judged]


def describe(
    faults: Mapping[str, Fault],
    played: Mapping[str, Round],
    clients: Clients,
    answers: int,
    seed: int,
    table: Table = TABLE,
) -> str:
    """Return the text of the page about these rounds."""
    setting = SETTING.format(
        answers=answers,
        day=datetime.now(UTC).date(),
        load=round(os.getloadavg()[2]),
        clients=clients.of_each,
        together=clients.of_each * len(RESOURCES),
        seed=seed,
    )
    unplayed = list_unplayed(faults, played)
    unfinished = UNFINISHED.format(unplayed=len(unplayed), faults=len(faults)) if unplayed else ""
    parts = (
        table.head,
        unfinished,
        table.installation + setting,
        write_table(faults, played),
        describe_wrong(played.values()),
    )
    return "\n".join(part for part in parts if part)


def write_table(faults: Mapping[str, Fault], played: Mapping[str, Round]) -> str:
    """Return a table with a row for each fault and a column for each resource."""
    resources = [resource.name for resource in all_resources(range(1))]
    heads = ["Fault", *resources, "refused", "logged", "verdict", "seed"]
    rows = [heads, ["---"] * len(heads)]
    for name, fault in faults.items():
        one = played.get(name)
        if one is None:
            rows.append([name, *["not run"] * (len(resources) + 2), fault.hindrance or "not run", "none"])
        else:
            cells = [_describe_cell(one.outcomes.get(resource, {})) for resource in resources]
            rows.append([name, *cells, str(one.count("refused")), _describe_events(one), one.verdict, str(one.seed)])
    total = sum(one.count("known") + one.count("unknown") for one in played.values())
    unknown = sum(one.count("unknown") for one in played.values())
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{table}\n\nTotal: {total:,} operations, {unknown:,} with unknown outcome, under {len(played)} faults.\n"


def _describe_events(one: Round) -> str:
    """Return the most frequent logged events as text."""
    most = sorted(one.events.items(), key=lambda event: (-event[1], event[0]))[:EVENTS]
    return ", ".join(f"`{name}` {count}" for name, count in most) or "nothing"


def _describe_cell(counts: Mapping[str, int]) -> str:
    unknown = counts.get("unknown", 0)
    operations = counts.get("known", 0) + unknown
    return f"{operations}, {unknown}" if operations else "none"


if __name__ == "__main__":
    sys.exit(main())
