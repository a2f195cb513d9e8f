"""Try mutants with tests. Both are named on standard input as `[tests, mutants]`.

This is a separate process, which imports none of our code before the tests do, and is forked for each trial.
"""

import json
import sys

from mutmut.__main__ import run
from mutmut.configuration import config

if __name__ == "__main__":
    tests, changes = json.load(sys.stdin)
    config().pytest_add_cli_args_test_selection = tests
    run.main(args=changes, standalone_mode=False)
