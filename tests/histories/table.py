"""Each resource under each fault, on a whole city: `python -m tests.histories.table` plays it and writes the page.

The page is replaced once every fault was played. If a run ends early, or has only some of the faults, its results are
next to its histories. The exit status is 1 if a response is impossible or could not be judged.
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

from tests.histories.city import found
from tests.histories.city_faults import Fault, list_faults
from tests.histories.ending import INTERRUPTED, interruptible, replace
from tests.histories.findings import describe_wrong
from tests.histories.nemesis import answered
from tests.histories.rounds import Clients, Round, Rounds
from tests.histories.trial import RESOURCES, all_resources
from tests.support import run_folder

EVENTS = 3  # in each row
PAGE = Path(__file__).parents[2] / "docs" / "proofs" / "histories-faults.md"
HEAD = """\
# Proofs: histories, each resource under each fault

Index and machine: [proofs](../proofs.md). What a history is, who judges it, and by what: [histories](histories.md).
This page is written by the command that plays it, `make histories`.
"""
UNFINISHED = """\
**This run did not come to its end: {unplayed} of {faults} faults were not played, or not to theirs.**
"""
SETTING = """\
- **Installation** (`tests/histories/city.py`): two hosts behind nginx, a worker, two PostgreSQL servers of which the
  second is a synchronous copy from which visitors are answered, Redis, CRM and identity provider apart
- **Network** (`tests/support/network.py`): every connection that a fault reaches goes through a proxy of our own, which
  cuts (ends what is there, refuses what is new), holds (keeps silent, and delivers later), delays each piece by 0.15 s,
  or loses 15 of 100 pieces, each sent again after 0.2 s, 0.4 s, … as TCP does. Namespaces of the kernel could be had on
  this machine, what delays and loses in them (`netem`) could not
- **Clocks**: of a host and of the worker, by libfaketime, two hours ahead or behind, so that tokens are too old, or not
  valid yet. **Full disk**: of the primary, a small one in memory, to its last byte, and the server is asked for more
  log until it ends; it is started again when there is room. **Failover**: the primary is killed, its copy promoted
  after 4 s, as a cluster manager does not notice at once, and a copy made anew
- A freeze, a disturbed network and a wrong clock last 4.5 s, a full disk 6 s. Before the fault and after it {answers}
  calls are answered
- **Last run**: {day}, load {load}; {clients} clients of each resource, {together} together; seed {seed}

A cell has the operations, and how many of them are of unknown outcome. Calls that were refused, and so did not happen,
stand in a column of their own. A fault without either is met by no caller: hosts take each other's place, jobs wait,
and Redis is done without. That it was there is seen by what the programs logged as a warning or an error from the fault
on, of which the most frequent events are named ([what they say](../operate/monitoring.md)).
"""


def main(words: Sequence[str] | None = None) -> int:
    """Play every fault, or those that are named, and write the page. Return the exit status."""
    arguments = argparse.ArgumentParser(prog="python -m tests.histories.table")
    arguments.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments.add_argument("--clients", type=int, default=4, help="of each resource")
    arguments.add_argument("--answers", type=int, default=600, help="before each fault, and after it")
    arguments.add_argument("--page", type=Path, default=PAGE, help="replaced by a run of every fault to its end")
    arguments.add_argument("faults", nargs="*")
    said, every = arguments.parse_args(words), list_faults()
    if unknown := set(said.faults) - set(every):
        arguments.error(f"no such fault: {', '.join(sorted(unknown))}")
    faults = {name: fault for name, fault in every.items() if not said.faults or name in said.faults}
    # The histories are not deleted after a run.
    run_folder.make()
    histories, clients = Path(tempfile.mkdtemp(prefix="balcao-histories-")), Clients(said.clients)
    print(f"seed {said.seed}; histories in {histories}", flush=True)
    played, draft, is_interrupted = dict[str, Round](), histories / said.page.name, False
    describe_played = partial(describe, every, played, clients, said.answers, said.seed)
    try:
        with interruptible(), closing(play(faults, histories, said.seed, clients, said.answers)) as rounds:
            for one in rounds:
                played[one.fault] = one
                draft.write_text(describe_played(), "utf-8")
                print(one.fault, one.verdict, flush=True)
    except KeyboardInterrupt:
        is_interrupted = True
    if list_unplayed(every, played):
        print(f"not every fault was played to its end: {said.page} stays as it is; what was judged is in {histories}")
    else:
        replace(said.page, describe_played())
    print(describe_wrong(played.values()))
    if is_interrupted:
        return INTERRUPTED
    return int(bool(list_unplayed(faults, played)) or any(not one.is_possible for one in played.values()))


def play(
    faults: Mapping[str, Fault], histories: Path, seed: int, clients: Clients, answers: int
) -> Generator[Round, None, None]:
    """Play each fault that this machine can cause on one city, as long as the city works."""
    with found() as city:
        rounds, some = Rounds(city, histories, seed, clients), partial(answered, more=answers)
        for name, fault in faults.items():
            if not fault.hindrance and not rounds.are_over:
                yield rounds.play(name, fault.bring_about, some, some)


def list_unplayed(faults: Mapping[str, Fault], played: Mapping[str, Round]) -> list[str]:
    """Return the faults that this machine could cause, but that were not played to the end of a round."""
    judged = {name for name, one in played.items() if not one.failure}
    return [name for name, fault in faults.items() if not fault.hindrance and name not in judged]


def describe(
    faults: Mapping[str, Fault], played: Mapping[str, Round], clients: Clients, answers: int, seed: int
) -> str:
    """Return the page for the rounds of these faults."""
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
    parts = (HEAD, unfinished, setting, write_table(faults, played), describe_wrong(played.values()))
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
    return f"{table}\n\nTogether {total:,} operations, {unknown:,} of unknown outcome, under {len(played)} faults.\n"


def _describe_events(one: Round) -> str:
    """Return the most frequent logged events."""
    most = sorted(one.events.items(), key=lambda event: (-event[1], event[0]))[:EVENTS]
    return ", ".join(f"`{name}` {count}" for name, count in most) or "nothing"


def _describe_cell(counts: Mapping[str, int]) -> str:
    unknown = counts.get("unknown", 0)
    operations = counts.get("known", 0) + unknown
    return f"{operations}, {unknown}" if operations else "none"


if __name__ == "__main__":
    sys.exit(main())
