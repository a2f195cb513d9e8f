"""Histories of concurrent clients during faults are linearizable: the checker finds no anomaly."""

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from balcao.core.database.reloader import LONGEST_PAUSE_SECONDS
from tests.histories.invariants import examine
from tests.histories.nemesis import FAULTS, FROZEN_SECONDS, break_in_turn
from tests.histories.trial import Verdict, all_resources, judge, platform, record
from tests.support.proof_sizes import FULL, report, size

pytestmark = [pytest.mark.histories, pytest.mark.long]

# An ordinary run records one history in which each fault occurs once, except for "kill everything". A proof records one
# history for each fault, with three occurrences.
RUNS = [[fault] * 3 for fault in FAULTS] if FULL else [[fault for fault in FAULTS if fault != "kill everything"]]
CLIENTS = size(2, 8)  # number of clients for each resource
KEYS = range(size(6, 64))
ANSWERS = size(100, 500)  # responses to wait for between two faults
# During a freeze, the database is down. Afterwards each process polls within LONGEST_PAUSE_SECONDS. This pause counts
# twice, because a freeze may follow a kill.
OUTAGE_SECONDS = FROZEN_SECONDS + 2 * LONGEST_PAUSE_SECONDS
SEED = int(os.environ.get("BALCAO_SEED") or size(1, random.randrange(1_000_000)))


@pytest.mark.parametrize("faults", RUNS, ids=[", ".join(dict.fromkeys(faults)) for faults in RUNS])
def test_what_clients_are_told_under_faults_can_be(faults: Sequence[str], tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    with platform() as (settings, started):
        record(
            settings,
            history,
            all_resources(KEYS),
            CLIENTS,
            SEED,
            lambda recorder: break_in_turn(recorder, started, faults, ANSWERS),
        )
        broken = examine(settings, history, OUTAGE_SECONDS)
    judged = judge(history)
    report("\n".join(_row(faults, one) for one in judged))
    assert broken == [], f"seed {SEED}, {history}"
    assert [one for one in judged if one.verdict != "possible"] == [], f"seed {SEED}, {history}"


def _row(faults: Sequence[str], one: Verdict) -> str:
    """Return a table row: resource, fault, operations, unknown outcomes, verdict and seed."""
    fault = f"{len(faults)} x {faults[0]}"
    return f"{one.resource:<24} {fault:<22} {one.operations:>7} {one.unknown:>6}  {one.verdict:<10} {SEED}"
