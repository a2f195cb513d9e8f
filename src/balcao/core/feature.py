"""The declaration of a feature, which is at the end of its `api.py`.

The code for data subjects' rights, retention, imports, exports and dead-lettered jobs uses features only through these
declarations. It imports no feature, and a new feature is listed in only one place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from balcao.core.audit.personal_data import PersonalData
from balcao.core.audit.retention import Retention
from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import NO_EXPORTS, Exports
from balcao.core.http.described_webhooks import SentEvent
from balcao.core.http.operations import Operation
from balcao.core.imports.declaration import Import
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind


@dataclass(frozen=True)
class Feature:
    """One noun of a service. An erasure processes features in the order in which their service lists them.

    `limits` are the rates, by name, that its use cases count in addition to the rates of its operations. `sent_events`
    are the events that its webhooks send, for the API description.
    """

    routes: Sequence[Operation] = ()
    sent_events: Sequence[SentEvent] = ()
    jobs: Sequence[JobKind] = ()
    retention: Sequence[Retention] = ()
    personal_data: PersonalData | None = None
    imports: Sequence[Import] = ()
    exports: Exports = NO_EXPORTS
    dead_jobs: Sequence[DeadJobs] = ()
    gauges: Sequence[Gauge] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
