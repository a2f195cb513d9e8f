"""Declarations of all services' code for operators, whichever services a process serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from balcao.core.jobs.worker import JobKind
from balcao.core.live.rates import Limit


@dataclass(frozen=True)
class Declared:
    """All service names, job kinds and adjustable limits, whichever services this process serves.

    Stored in `platform.parts`.
    """

    services: Sequence[str]
    jobs: Sequence[JobKind]
    limits: Mapping[str, Limit]
