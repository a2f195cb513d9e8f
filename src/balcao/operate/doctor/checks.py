"""What a check of `balcao doctor` is: what it looks with, what it finds, and how it stands in the manual."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec

from balcao.settings import Settings

TIMEOUT_SECONDS = 5.0
DAYS_OF_NOTICE = 14
UP, STOPPED, DOWN = "up", "stopped", "down"
Clock = Callable[[], float]


class Part(msgspec.Struct, omit_defaults=True):
    """`state`: up, down, or stopped for an embedded part of a platform that does not run; `problems` are sentences.

    `notices` are sentences about what somebody wanted so, and may have forgotten.
    """

    state: str
    details: dict[str, Any] = {}
    # Under the name that scripts read.
    problems: list[str] = msgspec.field(default_factory=list, name="wrong")
    notices: list[str] = []


@dataclass(frozen=True)
class Subject:
    """What is examined: settings, variables, and the files below `root`; others are called by `http`."""

    settings: Settings
    http: httpx.AsyncClient
    root: Path = Path("/")
    now: Clock = time.time
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def is_always_due(settings: Settings) -> bool:
    """Return that a check is for every installation."""
    return True


def is_due_in_production(settings: Settings) -> bool:
    """Return whether this is an installation, whose files are looked at."""
    return not settings.sandbox


@dataclass(frozen=True)
class Check:
    """One thing to look at. `looks_at`, what is `wrong` there and the `remedy` are the manual's words for it.

    `examine` returns None where there is nothing of the kind, which only looking can tell.

    `part` is where the report tells of it; checks without one have only sentences, which come first.
    """

    name: str
    looks_at: str
    wrong: str
    remedy: str
    examine: Callable[[Subject], Awaitable[Part | None]]
    part: str = ""
    is_due: Callable[[Settings], bool] = is_always_due
