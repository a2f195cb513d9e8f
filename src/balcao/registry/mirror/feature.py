"""The mirror and its outbox, declared as a feature without HTTP operations."""

from balcao.core.audit.retention import OldRows
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.mirror import login_write_store, outbox_store
from balcao.registry.mirror.fields import PUSH_JOB
from balcao.registry.mirror.personal_data import PERSONAL_DATA

FEATURE = Feature(
    retention=[
        OldRows("login_writes", login_write_store.count_login_writes, login_write_store.delete_old_login_writes)
    ],
    personal_data=PERSONAL_DATA,
    dead_jobs=[
        DeadJobs(
            PUSH_JOB, "outbox", outbox_store.find_pushes, outbox_store.list_push_ids, outbox_store.delete_outbox_row
        )
    ],
    exports=Exports(
        tables=(
            "registry.mirror_head",
            "registry.register",
            "registry.wording",
            "registry.crm_consentimentos",
            "registry.outbox",
            "registry.login_write",
        )
    ),
)
