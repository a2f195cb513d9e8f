"""Declarations of all services' code for operators, whichever services a process serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from balcao.core.jobs.worker import JobKind
from balcao.core.live.rates import Limit


@dataclass(frozen=True)
class Declared:
    """The names of all services, their kinds of jobs, and every limit by name; a part of a serving platform."""

    services: Sequence[str]
    jobs: Sequence[JobKind]
    limits: Mapping[str, Limit]
