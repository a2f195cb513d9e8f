"""What a feature brings to the platform, declared at the end of its `api.py`.

Rights, retention, imports, exports, dead-lettered jobs and the sandbox reach a feature through these declarations
only: none of them imports a feature, and a new feature is listed in one place.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from balcao.core.audit.personal_data import PersonalData
from balcao.core.audit.retention import Retention
from balcao.core.context.platform import Platform
from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import NO_EXPORTS, Exports
from balcao.core.http.operations import Operation
from balcao.core.imports.declaration import Import
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind


async def no_examples(_: Platform) -> Mapping[str, Any]:
    """Offer nothing to try."""
    return {}


@dataclass(frozen=True)
class Demo:
    """Demo data: `load` is idempotent and goes through the use cases; `examples` names ids to try.

    Keys of `examples` are those of `balcao demo --json`.
    """

    load: Callable[[Platform], Awaitable[None]]
    examples: Callable[[Platform], Awaitable[Mapping[str, Any]]] = no_examples


@dataclass(frozen=True)
class Feature:
    """One noun of a service. The order of a service's features is that of its demo data and of an erasure.

    `limits` are rates, by name, that its use cases count beside those of its operations.
    """

    routes: Sequence[Operation] = ()
    jobs: Sequence[JobKind] = ()
    retention: Sequence[Retention] = ()
    personal_data: PersonalData | None = None
    imports: Sequence[Import] = ()
    exports: Exports = NO_EXPORTS
    dead_jobs: Sequence[DeadJobs] = ()
    gauges: Sequence[Gauge] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
    demo: Demo | None = None
