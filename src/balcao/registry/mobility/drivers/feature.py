"""The drivers of a vehicle: invitations and the links that they become."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.mobility.drivers import api, store
from balcao.registry.mobility.drivers.invitation_email import JOB
from balcao.registry.mobility.drivers.jobs import JOBS
from balcao.registry.mobility.drivers.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    dead_jobs=[DeadJobs(JOB, "conductor", store.find_invitees, store.list_link_ids, store.skip_email)],
    exports=Exports(tables=("registry.vehicle_conductor",)),
)
