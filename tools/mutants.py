"""Mutate the code that decides about personal data, and count the mutants that no test detects.

`make mutants` tries a sample of each file's mutants: the same mutants each time, spread evenly over the file.
`SAMPLE=0` tries all mutants. `FILE=src/balcao/core/access` limits the mutants to a file or folder, or to several. A
trial is a short run of those of the folder's own tests that reach the mutant. All trials share one PostgreSQL server.
Surviving mutants are printed as diffs. All results stay in `mutants/` until the next run.
"""

import argparse
import collections
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mutmut.__main__ import create_mutants
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir, walk_mutatable_files

from tests.support import databases, run_folder
from tests.support.run_cleanup import Leftovers

COPY = Path("mutants")
NOTICED = {"killed", "timeout"}
LEAST = 0.9  # the required share of detected mutants in each folder
PERSONAL_DATA = "tests/registry/rights/test_rights_anonymisation.py"
# The tests that must detect the mutants of each folder.
TESTS = {
    Path("src/balcao/core/access"): [
        *(
            f"tests/core/test_{name}.py"
            for name in (
                "access_guards",
                "caller",
                "catalogue",
                "counts",
                "decisions",
                "keys",
                "limits",
                "live",
                "logout_tokens",
                "rates",
                "refused_tokens",
                "replicas",
                "rules",
                "snapshot_rights",
                "tokens",
            )
        ),
        "tests/access/test_patterns.py",
        "tests/access/test_registration.py",
        "tests/access/test_snapshot.py",
        "tests/health_units/test_fixed_tokens.py",
        "tests/identity/test_backchannel.py",
    ],
    Path("src/balcao/registry/mirror"): [
        "tests/registry/mirror",
        "tests/registry/crm/test_crm_admin.py",
        "tests/registry/crm/test_crm_mirror.py",
        "tests/registry/crm/test_crm_proxies.py",
        "tests/registry/crm/test_push.py",
        "tests/registry/crm/test_push_callers.py",
        "tests/registry/crm/test_push_failures.py",
        "tests/registry/crm/test_push_outage.py",
        "tests/registry/crm/test_webhook_deltas.py",
        "tests/registry/crm/test_reconciliation.py",
        "tests/registry/test_dead_letters.py",
        PERSONAL_DATA,
    ],
    Path("src/balcao/registry/consent"): [
        "tests/registry/consent",
        "tests/registry/rights/test_rights_retention.py",
        PERSONAL_DATA,
    ],
    Path("src/balcao/registry/person/phones"): [
        "tests/registry/person/phones",
        "tests/registry/rights/test_rights_retention.py",
        "tests/registry/test_dead_letters.py",
        PERSONAL_DATA,
    ],
    Path("src/balcao/access"): [
        f"tests/access/test_{name}.py"
        for name in (
            "actions_and_mappings",
            "audit",
            "cases",
            "check",
            "direct_roles",
            "earlier_versions",
            "explain",
            "failures",
            "last_way_in",
            "patterns",
            "retention",
            "roles_and_groups",
        )
    ],
    Path("src/balcao/employability/selection"): ["tests/employability/selection"],
    Path("src/balcao/health_units"): ["tests/health_units/test_opening.py"],
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=20, help="changes to try per file; 0 tries all")
    parser.add_argument("file", nargs="*", type=Path, help="files or folders; all that are looked at, if none is named")
    arguments = parser.parse_args()
    chosen = _choose(arguments.file or [Path("src")], arguments.sample)
    if not chosen:
        parser.error(f"none of {', '.join(map(str, TESTS))} is in {', '.join(map(str, arguments.file))}")
    leftovers = Leftovers(run_folder.make())
    cluster = databases.Cluster()
    os.environ[run_folder.SHARED] = "1"
    try:
        for folder, tests in TESTS.items():
            if names := [name for path in chosen if path.is_relative_to(folder) for name in chosen[path]]:
                _try(folder, tests, names)
    finally:
        cluster.stop()
        leftovers.end(passed=True)
    return _report(chosen)


def _choose(below: list[Path], sample: int) -> dict[Path, list[str]]:
    """Create the mutants, and return the names of those to try, by file."""
    shutil.rmtree(COPY, ignore_errors=True)  # an old copy may contain files that no longer exist
    COPY.mkdir()
    with contextlib.redirect_stdout(io.StringIO()):  # mutmut would print the name of every file
        copy_src_dir()
        copy_also_copy_files()
        create_mutants(os.cpu_count() or 1)
    chosen = {}
    for path, results in _results().items():
        if any(path.is_relative_to(part) for part in below):
            names = list(results)
            step = max(1.0, len(names) / sample) if sample else 1.0
            chosen[path] = [names[int(place * step)] for place in range(int(len(names) / step))]
    return chosen


def _try(folder: Path, tests: list[str], names: list[str]) -> None:
    """Try the mutants. The output of mutmut, mostly a progress line, goes to a log file."""
    log = COPY / f"{'-'.join(folder.parts[2:])}.log"
    print(f"{folder}: {len(names)} mutants, progress: tail -f {log}", flush=True)
    with log.open("w") as output:
        trials = subprocess.run(
            [sys.executable, "-m", "tools.trials"],
            input=json.dumps([tests, names]),
            text=True,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if trials.returncode:
        sys.exit(f"the tests failed without a mutant, or ended early: see {log}")


def _report(chosen: dict[Path, list[str]]) -> int:
    """Print the tried and detected mutants by folder, and each survivor. Return the command's exit status."""
    tried: collections.Counter[Path] = collections.Counter()
    noticed: collections.Counter[Path] = collections.Counter()
    results = _results()
    for path, names in chosen.items():
        folder = next(folder for folder in TESTS if path.is_relative_to(folder))
        for name in names:
            status = status_by_exit_code[results[path][name]]
            tried[folder] += 1
            noticed[folder] += status in NOTICED
            if status not in NOTICED:
                print(f"\n{status}: {name}\n{get_diff_for_mutant(name, path=path)}")
    print()
    for folder, count in tried.items():
        print(f"{folder}: {noticed[folder]} of {count} detected, {noticed[folder] / count:.1%}")
    return int(any(noticed[folder] < LEAST * tried[folder] for folder in tried))


def _results() -> dict[Path, dict[str, int | None]]:
    found = {}
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        if data.exit_code_by_key:
            found[Path(path)] = data.exit_code_by_key
    return found


if __name__ == "__main__":
    sys.exit(main())
