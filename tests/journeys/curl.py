"""Runs a printed `curl` line as a shell would, on a machine that may not have curl."""

import argparse
import re
import shlex
import subprocess

import httpx

from tests.support.polling import PATIENCE
from tests.support.terminal import Terminal

_LINE = argparse.ArgumentParser(prog="curl")
_LINE.add_argument("-s", action="store_true")
_LINE.add_argument("-d", action="append", default=[])
_LINE.add_argument("-H", action="append", default=[])
_LINE.add_argument("-X", default="")
_LINE.add_argument("address")
_COMMAND = re.compile(r"\$\(([^)]*)\)")


def run(line: str, terminal: Terminal) -> httpx.Response:
    """Make the request of a `curl` line. A shell runs the commands in its `$(...)` in the terminal's folder."""
    line = _COMMAND.sub(lambda found: printed(found[1], terminal), line)
    asked = _LINE.parse_args(shlex.split(line)[1:])
    headers = dict(header.split(": ", 1) for header in asked.H)
    if asked.d:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} | headers
    method = asked.X or ("POST" if asked.d else "GET")
    body = "&".join(asked.d) or None
    return httpx.request(method, asked.address, headers=headers, content=body, timeout=PATIENCE)


def printed(command: str, terminal: Terminal) -> str:
    """Run a command in a shell without our `BALCAO_` settings, and return its output."""
    plain = {name: value for name, value in terminal.environment.items() if not name.startswith("BALCAO_")}
    words = ["sh", "-c", command]
    done = subprocess.run(words, cwd=terminal.folder, env=plain, capture_output=True, text=True, check=True)
    return done.stdout.strip()
