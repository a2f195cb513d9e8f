"""Hours of everything at once on a whole city: `python -m tests.histories.hours --minutes 120` writes the page.

Clients of every resource work all the time; each minute has a fault by chance, and its own keys. In the middle the
program is upgraded, host by host, from the last commit before the newest migration. Ends with 1 where something that
was told cannot be.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tests.histories.city import City, found
from tests.histories.city_faults import list_faults
from tests.histories.nemesis import answered
from tests.histories.recorder import Recorder
from tests.histories.report import Played, Report
from tests.histories.rounds import Rounds
from tests.support import run_folder
from tools.release.building import ask_git, extract
from tools.release.components import ROOT

MINUTE = 60.0
SAMPLE_SECONDS = 5.0
WARM = 100  # answers before a fault
MIGRATIONS = ("src/balcao/*/migrations", "src/balcao/core/database/sql")
UPGRADE = "upgrade"


def main(words: Sequence[str] | None = None) -> int:
    """Play so many minutes and write the page; return the status of the command."""
    arguments = argparse.ArgumentParser(prog="python -m tests.histories.hours")
    arguments.add_argument("--minutes", type=float, default=120.0)
    arguments.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments.add_argument("--clients", type=int, default=4, help="of each resource")
    arguments.add_argument("--folder", type=Path, default=ROOT / "docs" / "proofs")
    said = arguments.parse_args(words)
    run_folder.make()
    former = find_former_release()
    with tempfile.TemporaryDirectory() as name:
        unpacked = Path(name, "former")
        extract(ROOT, former, unpacked)
        Path(name).chmod(0o755)
        report = play(unpacked / "src", said.minutes, said.seed, said.clients)
    setting = (
        f"{datetime.now(UTC).date()}, {said.minutes:g} minutes asked for, load {os.getloadavg()[2]:.0f}; "
        f"{said.clients} clients of each resource; seed {said.seed}; upgraded from {former[:12]}"
    )
    report.write(said.folder, setting)
    print(*report.list_faults(), sep="\n")
    return int(not report.is_possible)


def find_former_release() -> str:
    """Return the last commit of the main branch before the newest migration."""
    words = ("--first-parent", "-m", "--diff-filter=A", "-1", "--format=%H", "HEAD", "--", *MIGRATIONS)
    return ask_git(ROOT, "rev-parse", f"{ask_git(ROOT, 'log', *words).strip()}^").strip()


def play(former: Path, minutes: float, seed: int, clients: int) -> Report:
    """Play round after round on one city, with the upgrade in the middle."""
    chance = random.Random(seed)
    faults = {name: fault.bring_about for name, fault in list_faults().items() if not fault.hindrance}
    histories = Path(tempfile.mkdtemp(prefix="balcao-histories-"))
    with found(former) as city, sampled(city) as memory:
        rounds = Rounds(city, histories, seed, clients)
        began, played, is_upgraded = time.monotonic(), list[Played](), False
        while (passed := (time.monotonic() - began) / MINUTE) < minutes or not is_upgraded:
            name = chance.choice(list(faults))
            bring_about = faults[name]
            if not is_upgraded and passed >= minutes / 2:
                name, bring_about, is_upgraded = UPGRADE, _upgrade, True
            since = time.monotonic()
            one = rounds.play_with(name, _minute_with(city, bring_about, chance.uniform(0.1, 0.5)))
            played.append(Played(since - began, one))
            print(f"{passed:.1f} min", name, "possible" if one.is_possible else "NOT POSSIBLE", flush=True)
        return Report(began, played, memory, sorted(histories.glob("*.jsonl")), city.worker_restarts)


def _minute_with(
    city: City, bring_about: Callable[[City], Awaitable[None]], place: float
) -> Callable[[Recorder], Awaitable[None]]:
    """Return a nemesis that breaks something at this place of a minute, which is longer where the fault is."""

    async def nemesis(recorder: Recorder) -> None:
        ends = time.monotonic() + MINUTE
        await asyncio.sleep(place * MINUTE)
        await answered(recorder, WARM)
        await bring_about(city)
        await answered(recorder, WARM)
        await asyncio.sleep(max(0.0, ends - time.monotonic()))

    return nemesis


async def _upgrade(city: City) -> None:
    await asyncio.to_thread(city.upgrade)


@contextmanager
def sampled(city: City) -> Iterator[list[tuple[float, dict[str, float]]]]:
    """Note every few seconds what memory each part holds."""
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
