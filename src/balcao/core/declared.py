"""Declarations of all services that operators' commands and pages need in every process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from balcao.core.jobs.worker import JobKind
from balcao.core.live.rates import Limit


@dataclass(frozen=True)
class Declared:
    """The names, job kinds and adjustable limits of all services, including those that this process does not serve.

    It is stored in `platform.parts`.
    """

    services: Sequence[str]
    jobs: Sequence[JobKind]
    limits: Mapping[str, Limit]
