"""Invitations to drive a vehicle."""

from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.mobility.invitations import store
from balcao.registry.mobility.invitations.jobs import JOBS
from balcao.registry.mobility.invitations.personal_data import PERSONAL_DATA, RETENTION
from balcao.registry.mobility.invitations.service import JOB

FEATURE = Feature(
    jobs=JOBS,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    dead_jobs=[DeadJobs(JOB, "conductor", store.invitees, store.invitations_of, store.skip_email)],
)
