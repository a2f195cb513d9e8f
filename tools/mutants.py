"""Change the code that decides about people's data, one small thing at a time, and count what no test notices.

`make mutants` tries a sample of each file: the same changes each time, spread evenly over the file. `SAMPLE=0` tries
all of them and `FILE=src/balcao/core/access` those of one file or folder. What is changed and which tests have to
notice stands in pyproject.toml. Each trial is a short run of the tests that reach the change; all share one PostgreSQL.
"""

import argparse
import collections
import os
import subprocess
import sys
from pathlib import Path

from mutmut.__main__ import create_mutants
from mutmut.mutation.data import SourceFileMutationData
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir, walk_mutatable_files

from tests.support import databases, run_folder
from tests.support.leftovers import Leftovers

MUTMUT = str(Path(sys.executable).with_name("mutmut"))
COPY = Path("mutants")
NOTICED = {"killed", "timeout"}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=20, help="changes to try per file; 0 tries all")
    parser.add_argument("file", nargs="?", type=Path, default=Path("src"))
    arguments = parser.parse_args()
    names = _choose(arguments.file, arguments.sample)
    leftovers = Leftovers(run_folder.make())
    cluster = databases.Cluster()
    os.environ[run_folder.SHARED] = "1"
    try:
        status = subprocess.run([MUTMUT, "run", *names]).returncode
    finally:
        cluster.stop()
        leftovers.end(passed=True)
    _report(set(names))
    return status


def _choose(below: Path, sample: int) -> list[str]:
    COPY.mkdir(exist_ok=True)
    copy_src_dir()
    copy_also_copy_files()
    create_mutants(os.cpu_count() or 1)
    chosen: list[str] = []
    for path, results in _results().items():
        if path.is_relative_to(below):
            names = list(results)
            step = max(1.0, len(names) / sample) if sample else 1.0
            chosen += [names[int(place * step)] for place in range(int(len(names) / step))]
    return chosen


def _report(names: set[str]) -> None:
    """What was tried and noticed by folder, and each change that was not."""
    tried: collections.Counter[Path] = collections.Counter()
    noticed: collections.Counter[Path] = collections.Counter()
    for path, results in _results().items():
        for name, code in results.items():
            if name in names:
                tried[path.parent] += 1
                noticed[path.parent] += (status := status_by_exit_code[code]) in NOTICED
                if status not in NOTICED:
                    print(f"{status}: {name}")
    for folder, count in tried.items():
        print(f"{folder}: {noticed[folder]} of {count} noticed, {noticed[folder] / count:.1%}")


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
