"""Changes the code that decides about people's data, one small thing at a time, and counts what no test notices.

`make mutants` runs all of it, `make mutants FILE=src/balcao/core/access/rules.py` one file. What is changed and which
tests have to notice stands in pyproject.toml. Each trial is a short run of the tests; they share one PostgreSQL.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.support import databases, run_folder
from tests.support.leftovers import Leftovers

MUTMUT = str(Path(sys.executable).with_name("mutmut"))


def main(files: list[str]) -> int:
    leftovers = Leftovers(run_folder.make())
    cluster = databases.Cluster()
    os.environ[run_folder.SHARED] = "1"
    names = [f"{Path(file).with_suffix('').as_posix().removeprefix('src/').replace('/', '.')}.*" for file in files]
    try:
        status = subprocess.run([MUTMUT, "run", *names]).returncode
        subprocess.run([MUTMUT, "results"])
        return status
    finally:
        cluster.stop()
        leftovers.end(passed=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
