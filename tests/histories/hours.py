"""Runs all faults on a whole city for hours: `python -m tests.histories.hours --minutes 120` writes the page.

Clients use every resource continuously. Each minute has a random fault and its own keys. In the middle of the run, the
program is upgraded host by host, from the last commit before the newest migration. A complete run replaces the page.
Until then, or if the run ends early, the results are next to the histories. The exit status is 1 if a response is
impossible or could not be judged.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.histories.city import HOSTS, City, found
from tests.histories.city_faults import list_faults
from tests.histories.ending import INTERRUPTED, interruptible
from tests.histories.findings import describe_wrong
from tests.histories.nemesis import answered
from tests.histories.recorder import Recorder
from tests.histories.report import PAGE, Report
from tests.histories.rounds import Clients, Rounds
from tests.histories.trial import RESOURCES
from tests.support import run_folder
from tools.release.building import ask_git, extract
from tools.release.components import ROOT

MINUTE = 60.0
SAMPLE_SECONDS = 10.0
WARM = 100  # responses to wait for before and after a fault
KEYS = 4  # keys per resource; so few that clients often conflict
THINK_SECONDS = 4.0
# The migrations, without the files of functions, which every upgrade applies again.
MIGRATIONS = (":(glob)src/balcao/*/migrations/*.sql", ":(glob)src/balcao/core/database/sql/*.sql")
UPGRADE = "upgrade"


def main(words: Sequence[str] | None = None) -> int:
    """Run for the given number of minutes, write the page, and return the exit status."""
    arguments = argparse.ArgumentParser(prog="python -m tests.histories.hours")
    arguments.add_argument("--minutes", type=float, default=120.0)
    arguments.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments.add_argument("--clients", type=int, default=4, help="of each resource")
    arguments.add_argument(
        "--think", type=float, default=THINK_SECONDS, help="average pause between two calls, in seconds"
    )
    arguments.add_argument("--folder", type=Path, default=ROOT / "docs" / "proofs", help="of the page and its plots")
    said = arguments.parse_args(words)
    run_folder.make()
    said.folder.mkdir(parents=True, exist_ok=True)
    histories, former = Path(tempfile.mkdtemp(prefix="balcao-histories-")), find_former_release()
    clients = Clients(said.clients, KEYS, said.think)
    print(f"seed {said.seed}; histories in {histories}", flush=True)

    def write(report: Report, folder: Path) -> None:
        setting = (
            f"{datetime.now(UTC).date()}, load {os.getloadavg()[2]:.1f}; {said.clients} clients of each resource, "
            f"{said.clients * len(RESOURCES)} in total, with pauses of about {said.think:g} s between two calls; seed "
            f"{said.seed}; upgraded from {former[:12]} to {ask_git(ROOT, 'rev-parse', 'HEAD')[:12]}"
        )
        report.write(folder, setting)

    with tempfile.TemporaryDirectory() as name:
        unpacked = Path(name, "former")
        extract(ROOT, former, unpacked)
        Path(name).chmod(0o755)
        stays = f"ended early: {said.folder / PAGE} is unchanged; the results until then are in {histories}"
        try:
            with interruptible():
                report = play(unpacked / "src", histories, said.minutes, said.seed, clients, write)
        except KeyboardInterrupt:
            print(stays, flush=True)
            return INTERRUPTED
    if report.is_whole:
        write(report, said.folder)
    else:
        print(stays, flush=True)
    print(describe_wrong(one.round for one in report.played))
    return int(not (report.is_whole and report.is_possible))


def find_former_release() -> str:
    """Return the last commit before the newest migration.

    An older commit would not work, because the former and the new program are judged by the same rules. If the newest
    change of the migrations added a baseline or changed a file, no earlier database can be upgraded. Then return the
    commit of that change. Only commits before 1.0 change files.
    """
    newest = ask_git(ROOT, "log", "--first-parent", "-m", "-1", "--format=%H", "HEAD", "--", *MIGRATIONS).strip()
    changes = ask_git(ROOT, "diff", "--name-status", f"{newest}^", newest, "--", *MIGRATIONS).splitlines()
    is_addition = all(change.startswith("A") and "/0001_" not in change for change in changes)
    return ask_git(ROOT, "rev-parse", f"{newest}^" if is_addition else newest).strip()


def play(
    former: Path, histories: Path, minutes: float, seed: int, clients: Clients, write: Callable[[Report, Path], None]
) -> Report:
    """Play rounds on one city, with the upgrade in the middle, and write the report after each round.

    The report is written next to the histories.
    """
    chance = random.Random(seed)
    faults = {name: fault.bring_about for name, fault in list_faults().items() if not fault.hindrance}
    with found(former) as city, sampled(city) as memory:
        rounds, report = Rounds(city, histories, seed, clients), Report(time.monotonic(), minutes, memory)
        dealt, is_upgraded = deal(list(faults), chance), False
        while (passed := (time.monotonic() - report.began) / MINUTE) < minutes or not is_upgraded:
            if is_upgraded or passed < minutes / 2:
                name = next(dealt)
                bring_about = faults[name]
            else:
                name, bring_about, is_upgraded = UPGRADE, _upgrade, True
            began, place = time.monotonic(), chance.uniform(0.1, 0.5)
            before, after = partial(_until, began + place * MINUTE), partial(_after, began + MINUTE)
            one = rounds.play(name, bring_about, before, after)
            report.add(one, city.worker_restarts, list(map(city.count_replica_reads, HOSTS)))
            write(report, histories)
            print(f"{passed:.1f} min", name, one.verdict, flush=True)
            if rounds.are_over:
                return report
        report.is_whole = True
        return report


def deal(names: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Yield names in random order, without end. Every name occurs once before any name repeats."""
    while True:
        yield from chance.sample(names, len(names))


async def _until(second: float, recorder: Recorder) -> None:
    """Let the clients work until this second, and until they have received enough responses."""
    await asyncio.sleep(max(0.0, second - time.monotonic()))
    await answered(recorder, WARM)


async def _after(second: float, recorder: Recorder) -> None:
    """Wait until the clients receive responses again, and then let them work until this second."""
    await answered(recorder, WARM)
    await asyncio.sleep(max(0.0, second - time.monotonic()))


async def _upgrade(city: City) -> None:
    await asyncio.to_thread(city.upgrade)


@contextmanager
def sampled(city: City) -> Iterator[list[tuple[float, dict[str, float]]]]:
    """Record the memory of each part at intervals."""
    samples: list[tuple[float, dict[str, float]]] = []
    ending = threading.Event()

    def sample() -> None:
        while not ending.wait(SAMPLE_SECONDS):
            samples.append((time.monotonic(), city.memory()))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        ending.set()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
