"""The types for the checks of `balcao doctor`: a check's input, its result, and its description for the manual."""

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
    """The result of a check.

    `state` is up, down, or, for an embedded part of a platform that is not running, stopped. `problems` are sentences.
    `notices` are sentences about states that are intended but that an operator may have forgotten.
    """

    state: str
    details: dict[str, Any] = {}
    # In the JSON output, which scripts read, this member is named `wrong`.
    problems: list[str] = msgspec.field(default_factory=list, name="wrong")
    notices: list[str] = []


@dataclass(frozen=True)
class Subject:
    """The input of a check: settings, environment, the root folder of files, and an HTTP client."""

    settings: Settings
    http: httpx.AsyncClient
    root: Path = Path("/")
    now: Clock = time.time
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def is_always_due(settings: Settings) -> bool:
    """Return True. This is for a check that applies to every installation."""
    return True


def is_due_in_production(settings: Settings) -> bool:
    """Return whether this is a production installation."""
    return not settings.sandbox


@dataclass(frozen=True)
class Check:
    """A check. `looks_at`, `wrong` and `remedy` describe it in the manual.

    `examine` returns None if the installation does not have the checked part. `part` is the section of the report. A
    check without a section only adds sentences.
    """

    name: str
    looks_at: str
    wrong: str
    remedy: str
    examine: Callable[[Subject], Awaitable[Part | None]]
    part: str = ""
    is_due: Callable[[Settings], bool] = is_always_due
