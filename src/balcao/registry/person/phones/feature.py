"""The phone and its verification."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.person.phones import api, demo, store
from balcao.registry.person.phones.jobs import JOBS
from balcao.registry.person.phones.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    dead_jobs=[
        DeadJobs(store.CODE_JOB, "verification", store.find_verifications, store.list_verifications, store.erase_code)
    ],
    demo=Demo(demo.load),
    exports=Exports(derived=("registry.phone_verification", "registry.phone_code_sent")),
)
