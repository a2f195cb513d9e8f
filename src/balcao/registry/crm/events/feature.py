"""The CRM's events."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.crm.events import api, store
from balcao.registry.crm.events.jobs import JOBS
from balcao.registry.crm.events.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    dead_jobs=[DeadJobs(store.EVENT_JOB, "event", store.find_subjects, store.list_waiting_ids, store.give_up_event)],
    exports=Exports(tables=("registry.crm_event",)),
)
