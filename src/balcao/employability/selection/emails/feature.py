"""E-mails to candidates."""

from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.employability.selection.emails import store
from balcao.employability.selection.emails.jobs import KINDS
from balcao.employability.selection.emails.kinds import JOB
from balcao.employability.selection.emails.retention import RETENTION

FEATURE = Feature(
    jobs=KINDS,
    retention=RETENTION,
    dead_jobs=[DeadJobs(JOB, "application", store.find_candidates, store.list_application_ids)],
)
