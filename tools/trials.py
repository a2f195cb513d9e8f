"""Try the changes that are named on standard input, against the tests that are named there: `[tests, changes]`.

A process of its own, which loads nothing of ours before the tests do, and is forked for each trial.
"""

import json
import sys

from mutmut.__main__ import run
from mutmut.configuration import config

if __name__ == "__main__":
    tests, changes = json.load(sys.stdin)
    config().pytest_add_cli_args_test_selection = tests
    run.main(args=changes, standalone_mode=False)
