"""The curl commands that the portal shows work unchanged."""

import os
import re
import subprocess
from collections import Counter

import pytest

from tests.clients.examples import ExampleCall, Outcome, check_outcomes, list_calls
from tests.support.proof_sizes import report
from tests.support.sandbox import Sandbox

BORDER = "-- end of a call --"
STATUS = re.compile(r"^HTTP/1\.1 (\d+)", re.MULTILINE)


def type_in(calls: list[ExampleCall]) -> list[str]:
    """Run the commands in one shell, each with its caller's token, and return their outputs."""
    script = "".join(f"TOKEN={call.token}\n{call.curl}\necho; echo '{BORDER}'\n" for call in calls)
    done = subprocess.run(["bash", "-u"], input=script.encode(), capture_output=True, env=os.environ, check=False)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode("utf-8", "replace").split(BORDER)[:-1]


@pytest.mark.long
def test_what_is_shown_of_every_operation_runs(sandbox: Sandbox) -> None:
    calls = list_calls(sandbox)
    outcomes: list[Outcome] = [
        (f"{call.service}.{call.key}", "curl", int(found[1]) if (found := STATUS.search(printed)) else printed)
        for call, printed in zip(calls, type_in(calls), strict=True)
    ]
    check_outcomes(outcomes, sandbox, kinds=1)
    report(f"operations with curl: {Counter(outcome for _, _, outcome in outcomes)}")
