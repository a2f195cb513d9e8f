"""Searches the log of the whole run for personal data.

A CPF, a name, an e-mail address, a phone number or a token fails the run.
"""

import functools
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

from balcao.core.logs import create_formatter
from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity.demo import people
from tests.support import run_folder

_ELEVEN = re.compile(r"(?<![0-9A-Fa-f.-])(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})(?![0-9A-Fa-f-])")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.example")
_PHONE = re.compile(r"(?<![0-9A-Fa-f-])\+?55\d{10,11}(?![0-9A-Fa-f-])")
_TOKEN = re.compile(r"eyJ[\w-]{10,}")


def start() -> None:
    """Write the log of this process to its own file in the log folder, not to the output of the tests."""
    folder().mkdir(exist_ok=True)
    handler = logging.FileHandler(folder() / f"{os.getpid()}.log", encoding="utf-8")
    handler.setFormatter(create_formatter())
    logging.getLogger().handlers = [handler]


def folder() -> Path:
    return run_folder.path() / "logs"


def findings() -> list[str]:
    """Return the file, line and kind of each finding, but never the personal data itself."""
    return [found for file in sorted(folder().glob("*.log")) for found in _in_file(file)]


def _in_file(file: Path) -> Iterator[str]:
    for number, line in enumerate(file.read_text("utf-8", errors="replace").splitlines(), 1):
        yield from (f"{file.name}:{number}: {kind}" for kind in sorted(kinds_in(line)))


def kinds_in(line: str) -> set[str]:
    """Return the kinds of personal data that a line contains."""
    kinds = {
        "CPF": any(Cpf.parse_path(found) for found in _ELEVEN.findall(line)),
        "name": _names().search(line),
        "e-mail": _ADDRESS.search(line),
        "phone": _PHONE.search(line),
        "token": _TOKEN.search(line),
    }
    return {kind for kind, found in kinds.items() if found}


@functools.cache
def _names() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(person.name) for person in people()))
