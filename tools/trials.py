"""Run tests on mutants. Standard input contains the tests and the mutants as JSON, `[tests, mutants]`.

This runs as a separate process, which forks for each trial. It imports none of our code before the tests do.
"""

import json
import sys

from mutmut.__main__ import run
from mutmut.configuration import config

if __name__ == "__main__":
    tests, changes = json.load(sys.stdin)
    config().pytest_add_cli_args_test_selection = tests
    run.main(args=changes, standalone_mode=False)
